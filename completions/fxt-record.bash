# SPDX-License-Identifier: BSD-2-Clause
# bash completion of fxt-record(1)

# The commands that control a session, and their options.
_fxt_record_control() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local session='--circular --oneshot --streaming -o --output -c --categories --trigger --before --after
    -p --pid -t --tgid --comm --cgroup --follow -e --event --filter --counters --uprobe --usdt' options='--socket -h --help'
  case $1 in
    start) options+=" $session" ;;
    serve) options+=" $session --group --once --background -v --verbose" ;;
    status) options+=' --json --watch' ;;
    snapshot) options+=' -o --output --last' ;;
    stop) options+=' -o --output' ;;
  esac
  [[ $current == = ]] && current=
  [[ $previous == = ]] && previous=${COMP_WORDS[COMP_CWORD-2]}
  case $previous in
    -o|--output|--socket)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    -c|--categories)
      local before='' words
      words="default all $("${COMP_WORDS[0]}" --list-categories=names 2>/dev/null | cut -f1)"
      [[ $current == *,* ]] && before=${current%,*},
      compopt -o nospace 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -P "$before" -W "$words" -- "${current##*,}") ;;
    --circular|--oneshot) mapfile -t COMPREPLY < <(compgen -W '16M 64M 256M' -- "$current") ;;
    --trigger) ;;
    --last|--before|--after) mapfile -t COMPREPLY < <(compgen -W '500ms 2s 10s 1m' -- "$current") ;;
    --group) mapfile -t COMPREPLY < <(compgen -g -- "$current") ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current") ;;
  esac
}

_fxt_record() {
  local options='-o --output -d --duration -c --categories -b --buffer-size -z --gzip
    --circular --oneshot --trigger --before --after --socket --providers --rotate --keep -p --pid
    -t --tgid --comm --cgroup --follow --only-command --lbr-frequency --lbr-period --lbr-filter --stack-min
    --stack-frequency --symbols --uprobe --usdt -e --event --filter --counters -u --user --as-caller
    --stats-json -q --quiet -v --verbose --list-categories --list-events --version
    -h --help'
  local counters='cycles instructions cache-references cache-misses branches branch-misses bus-cycles
    ref-cycles stalled-cycles-frontend stalled-cycles-backend L1-dcache-load-misses LLC-loads
    LLC-load-misses dTLB-load-misses cpu-clock task-clock page-faults minor-faults major-faults
    context-switches cpu-migrations alignment-faults emulation-faults'
  local branches='user kernel hv any call return cond ind_call ind_jump direct_call in_tx no_tx
    abort_tx call_stack'
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} i
  COMPREPLY=()

  case ${COMP_WORDS[1]-} in
    start|status|snapshot|stop|cancel|alert|serve)
      if ((COMP_CWORD > 1)); then
        _fxt_record_control "${COMP_WORDS[1]}"
        return
      fi ;;
  esac

  # Where the command begins: at the first word that is neither an option nor its value. readline
  # takes --option=value and values with a colon apart.
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      --) ((i++)); break ;;
      -o|--output|-d|--duration|-c|--categories|-b|--buffer-size|-p|--pid|-t|--tgid|--comm|\
      --circular|--oneshot|--trigger|--before|--after|--socket|--rotate|--keep|\
      --cgroup|--lbr-frequency|--lbr-period|--lbr-filter|--stack-min|--stack-frequency|-u|--user|--stats-json|\
      -e|--event|--filter|--counters)
        [[ ${COMP_WORDS[i+1]-} == = ]] && ((i++))
        ((i++))
        while [[ ${COMP_WORDS[i+1]-} == : ]]; do ((i += 2)); done ;;
      -*) ;;
      *) break ;;
    esac
  done
  if ((i < COMP_CWORD)); then
    if declare -F _command_offset >/dev/null; then
      _command_offset "$i"
    else
      compopt -o default 2>/dev/null
    fi
    return
  fi

  [[ $current == = ]] && current=
  [[ $previous == = ]] && previous=${COMP_WORDS[COMP_CWORD-2]}
  case $previous in
    -o|--output|--stats-json)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    -c|--categories|--lbr-filter)
      local before='' words=$branches
      [[ $previous != --lbr-filter ]] &&
        words="default all $("${COMP_WORDS[0]}" --list-categories=names 2>/dev/null | cut -f1)"
      [[ $current == *,* ]] && before=${current%,*},
      compopt -o nospace 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -P "$before" -W "$words" -- "${current##*,}") ;;
    -p|--pid|-t|--tgid)
      mapfile -t COMPREPLY < <(cd /proc && compgen -W "$(echo [0-9]*)" -- "$current") ;;
    --comm)
      mapfile -t COMPREPLY < <(sort -u /proc/[0-9]*/comm 2>/dev/null | grep "^${current//[^[:alnum:]]/.}") ;;
    --cgroup)
      compopt -o nospace 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -d -S / -- "/sys/fs/cgroup/${current#/}")
      COMPREPLY=("${COMPREPLY[@]#/sys/fs/cgroup}") ;;
    -u|--user)
      mapfile -t COMPREPLY < <(compgen -u -- "$current") ;;
    --lbr-frequency|--lbr-period|--stack-frequency|-e|--event|--filter) ;;
    --counters)
      local counted=''
      [[ $current == *,* ]] && counted=${current%,*},
      compopt -o nospace 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -P "$counted" -W "$counters" -- "${current##*,}") ;;
    --stack-min)
      mapfile -t COMPREPLY < <(compgen -W '10us 100us 1ms 10ms' -- "$current") ;;
    -d|--duration)
      mapfile -t COMPREPLY < <(compgen -W '500ms 2s 10s 1m' -- "$current") ;;
    -b|--buffer-size)
      mapfile -t COMPREPLY < <(compgen -W '1M 8M 32M 128M' -- "$current") ;;
    --circular|--oneshot)
      mapfile -t COMPREPLY < <(compgen -W '16M 64M 256M' -- "$current") ;;
    --trigger)
      mapfile -t COMPREPLY < <(compgen -W 'wakeup_latency runnable off_cpu slice exit signal alert
        psi log' -- "$current") ;;
    --before|--after)
      mapfile -t COMPREPLY < <(compgen -W '1s 5s 10s 30s' -- "$current") ;;
    --rotate)
      mapfile -t COMPREPLY < <(compgen -W '60s 10m 1G 60s,1G' -- "$current") ;;
    --keep) ;;
    --)
      mapfile -t COMPREPLY < <(compgen -c -- "$current") ;;
    *)
      if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
      else
        mapfile -t COMPREPLY < <(
          ((COMP_CWORD > 1)) || compgen -W 'start status snapshot stop cancel alert serve' -- "$current"
          compgen -c -- "$current")
      fi ;;
  esac
}
complete -F _fxt_record fxt-record
