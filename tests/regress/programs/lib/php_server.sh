# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# PHP behind nginx. Include ../lib.sh first.
# shellcheck disable=SC2154
PATH=$PATH:/usr/sbin
php_fpm=$(find /usr/sbin -name 'php-fpm*' -printf '%f\n' | head -n 1)
need nginx ab "${php_fpm:-php-fpm}"
[ "$form" != prepare ] || exit 0

# serve_php PORT WORKERS SCRIPT: runs both until this program ends.
serve_php() {
  mkdir -p "$folder/www" "$folder/sessions"
  chmod 777 "$folder/sessions"
  printf '%s' "$3" >"$folder/www/page.php"
  cat >"$folder/fpm.conf" <<END
[global]
daemonize = no
error_log = /dev/null
[www]
listen = $folder/fpm.sock
listen.mode = 0666
user = nobody
pm = static
pm.max_children = $2
php_value[session.save_path] = $folder/sessions
END
  cat >"$folder/nginx.conf" <<END
daemon off;
worker_processes 1;
pid $folder/nginx.pid;
error_log /dev/null;
events {}
http {
  access_log off;
  client_body_temp_path $folder/body;
  proxy_temp_path $folder/proxy;
  fastcgi_temp_path $folder/fastcgi;
  uwsgi_temp_path $folder/uwsgi;
  scgi_temp_path $folder/scgi;
  server {
    listen 127.0.0.1:$1;
    location / {
      include /etc/nginx/fastcgi_params;
      fastcgi_param SCRIPT_FILENAME $folder/www/page.php;
      fastcgi_pass unix:$folder/fpm.sock;
    }
  }
}
END
  rm -f "$folder/fpm.sock"
  "$php_fpm" -R -y "$folder/fpm.conf" 2>/dev/null &
  fpm=$!
  nginx -e /dev/null -c "$folder/nginx.conf" &
  trap 'kill "$fpm" $!; wait' EXIT
  wait_for test -S "$folder/fpm.sock"
  wait_for ab -n 1 "http://127.0.0.1:$1/"
}
