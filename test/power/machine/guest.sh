# What the virtual machine does: `guest.sh PHASE EXT4_OR_XFS NODE`; the phase is `first`, or the number of a boot.
# It is told to the host in lines that begin with "power: ".
phase=$1
type=$2
node=$3
here=$(dirname "$0")
cd "$here/../../.."
export TMPDIR=/run/tmp PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/run NO_COLOR=1

say() { echo; echo "power: $1"; }

# The shell may have taken note of its end already.
lives() { [ -e /proc/$1 ] && ! grep -q ') Z ' /proc/$1/stat; }

end() {
  sync
  umount /run/pmem
  echo o > /proc/sysrq-trigger
  sleep 60
}

if [ $phase = first ]; then
  ndctl create-namespace -f -e namespace0.0 -m fsdax -M mem > /dev/null
  if [ $type = xfs ]; then mkfs.xfs -q -f -m reflink=0 /dev/pmem0; else mkfs.ext4 -q -F -b 4096 /dev/pmem0; fi
fi
mount -t $type -o dax=always /dev/pmem0 /run/pmem || say '{"failed":"the file system does not mount"}'

if [ $phase = first ]; then
  say "{\"mounted\":\"$(grep /run/pmem /proc/mounts | cut -d' ' -f3,4)\"}"
  strace -f -o /run/calls -e trace=access,msync,fsync,fdatasync,pwritev2,sync_file_range $node $here/evidence.js
  $node $here/evidence.js /run/calls
  TMPDIR=/run/pmem $node packages/pmem-level/test/abstract-level.js > /run/share/suite 2>&1
  say "{\"suite\":$?}"
  end
fi

# Three lives a boot: the first two are killed here, the last one with the machine. After the last boot one only looks.
life=$((phase * 3 - 2))
for last in $((life + 1)) $((life + 2)); do
  rm -f /run/tmp/loading
  $node $here/life.js $life &
  while [ ! -e /run/tmp/loading ] && lives $!; do sleep 0.1; done
  [ -e /run/tmp/loading ] || break
  sleep 0.$((life * 37 % 90 + 10))
  kill -9 $!
  wait $!
  say "{\"killed\":$life}"
  life=$last
done
if [ -e /run/tmp/loading ]; then $node $here/life.js $life last; fi
end
