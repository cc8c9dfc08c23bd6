# SPDX-License-Identifier: BSD-2-Clause
# bash completion of fxt(1)

_fxt() {
  local commands='info check dump json trim recover import merge lbr report
    diff flame summarize query export'
  local filters='--from --to -t --thread -p --process --cpu'
  local kinds='event magic provider section provider-event trace-info init string thread instant
    counter begin end complete async-begin async-instant async-end flow-begin flow-step flow-end
    blob userspace-object kernel-object switch wakeup log large-blob module mmap backtrace unknown'
  local formats='sqlite csv tsv rowbinary'
  local tables='captures processes threads cpus slices idle waits wakeups instants spans counters logs
    losses blobs'
  local reports='branches mispredicted blocks functions threads'
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local command='' options='-h --help' words='' before='' i
  COMPREPLY=()

  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      -*) ;;
      *) command=${COMP_WORDS[i]}; break ;;
    esac
  done
  case $command in
    '')
      mapfile -t COMPREPLY < <(compgen -W "$commands --version $options" -- "$current")
      return ;;
    info) options+=' --json --top' ;;
    check) options+=' --json --format-only --list-rules --max' ;;
    dump) options+=" --type --category $filters --json --raw --relative" ;;
    json) options+=' -o --output --cpu-slices' ;;
    trim) options+=" -o --output $filters" ;;
    report) options+=' --json --html --from --to --top' ;;
    diff) options+=' --base --new --noise --html --markdown --junit --json --top --fail' ;;
    flame) options+=' -o --output --of --format --base --no-symbols --root --debug-dir --perf-cache --kallsyms' ;;
    summarize) options+=' -o --output --from --to' ;;
    query) options+=' -f --file --csv --json --markdown' ;;
    export) options+=' --format -o --output --table --gzip --clickhouse --database --host --label
      --print-schema --cluster' ;;
    merge) options+=' -o --output --clock --offset --align --window --apart' ;;
    recover|import) options+=' -o --output' ;;
    lbr) options+=" --raw --brstack --json --report --top $filters --symbols --no-symbols --root
      --debug-dir --perf-cache --kallsyms" ;;
    *) return ;;
  esac

  # readline takes --option=value apart.
  [[ $current == = ]] && current=
  [[ $previous == = ]] && previous=${COMP_WORDS[COMP_CWORD-2]}
  case $previous in
    --type) words=$kinds ;;
    --report) words=$reports ;;
    --of) words='off on wake' ;;
    --format) if [[ $command == flame ]]; then words='html folded speedscope'; else words=$formats; fi ;;
    --table) words=$tables ;;
    --cpu) words=$(cd /sys/devices/system/cpu 2>/dev/null && echo cpu[0-9]*) words=${words//cpu/} ;;
    --root|--debug-dir|--perf-cache)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -d -- "$current")
      return ;;
    --from|--to|-t|--thread|-p|--process|--category|--top|--max|--clock|--offset|--window) return ;;
  esac
  if [[ -n $words ]]; then
    [[ $current == *,* ]] && before=${current%,*},
    compopt -o nospace 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -P "$before" -W "$words" -- "${current##*,}")
  elif [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
  else
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}
complete -F _fxt fxt
