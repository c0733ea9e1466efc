#!/bin/sh
# In a network and a tree of processes of its own, as container.js starts it: runs a container as its compose file says, a proxy where
# there is one, and the client, whose output is the answer.
#   ROOT: files of the container   DATA, SECRET: what is mounted at /data and /run/secrets/admin   USER_GROUP, VARIABLES, COMMAND, HEALTH:
#   what the image and the compose file say   PROXY: files of Caddy's   ADDRESS: of the container   CLIENT: sync.js   URL: where it asks
set -eu
ip link set lo up
ip address add "$ADDRESS" dev lo

mount --bind "$ROOT" "$ROOT"
mkdir -p "$ROOT/run/secrets"
touch "$ROOT/run/secrets/admin"
for place in proc dev; do mount --rbind "/$place" "$ROOT/$place"; done
mount --bind "$DATA" "$ROOT/data"
mount --bind "$SECRET" "$ROOT/run/secrets/admin"
mount -t tmpfs tmpfs "$ROOT/tmp"
mount -o remount,bind,ro "$ROOT"
inside () { ${exec:-} chroot "$ROOT" setpriv --reuid "$USER_GROUP" --regid "$USER_GROUP" --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all env -i -C /data $VARIABLES "$@"; }

exec=exec inside $COMMAND > "$DATA.log" 2>&1 &
attempts=0
until inside sh -c "$HEALTH"; do
  attempts=$((attempts + 1))
  [ $attempts -lt 120 ] || { cat "$DATA.log" >&2; exit 1; }
  sleep 0.5
done

if [ -n "$PROXY" ]; then
  for place in proc dev; do mount --rbind "/$place" "$PROXY/$place"; done
  echo "127.0.0.1 localhost
${ADDRESS%/*} potoroo" > "$PROXY/etc/hosts"
  chroot "$PROXY" env -i PATH=/usr/bin DOMAIN=localhost XDG_DATA_HOME=/data XDG_CONFIG_HOME=/config HOME=/ caddy run --config /etc/caddy/Caddyfile --adapter caddyfile > "$DATA.caddy.log" 2>&1 &
  NODE_EXTRA_CA_CERTS=$PROXY/data/caddy/pki/authorities/local/root.crt
  export NODE_EXTRA_CA_CERTS
  attempts=0
  until [ -s "$NODE_EXTRA_CA_CERTS" ] && node -e "fetch('$URL/_up').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"; do
    attempts=$((attempts + 1))
    [ $attempts -lt 120 ] || { cat "$DATA.caddy.log" >&2; exit 1; }
    sleep 0.5
  done
fi
node "$CLIENT" "$URL"
# What all of it has taken counts once it has been waited for.
kill -TERM -1
wait
