# Starts a server in a container. Its data folder holds settings only, and they are made of the environment.
set -eu
umask 077
cat > /var/lib/potoroo/potoroo.ini <<INI
[chttpd]
trusted_proxies = 10.0.0.0/8,172.16.0.0/12,192.168.0.0/16

[cluster]
secret = $CLUSTER_SECRET
listen = 0.0.0.0:5986
address = $ADDRESS
INI
unset CLUSTER_SECRET
exec node server/bin/potoroo.js serve --host 0.0.0.0 --data /var/lib/potoroo --storage "$STORAGE"
