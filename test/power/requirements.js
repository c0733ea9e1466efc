'use strict'

const { execFileSync } = require('node:child_process')
const fs = require('node:fs')

const DISK = { 'qemu-storage-daemon': 'qemu-utils', 'mkfs.ext4': 'e2fsprogs', 'mkfs.xfs': 'xfsprogs', losetup: 'mount', unshare: 'util-linux', cc: 'gcc' }
const MACHINE = { 'qemu-system-x86_64': 'qemu-system-x86', busybox: 'busybox-static', 'mkfs.ext4': 'e2fsprogs', 'mkfs.xfs': 'xfsprogs', ndctl: 'ndctl', strace: 'strace', modprobe: 'kmod', unshare: 'util-linux' }
const NEEDED = { disk: DISK, look: DISK, machine: MACHINE }
/** GB: the scratch file systems, the NVDIMMs and the machines lie in memory. */
const MEMORY = { disk: 5, look: 5, machine: 10 }

/** Says in words what a part needs and this machine has not. @returns {string | undefined} */
function missing (part) {
  if (process.platform !== 'linux') return 'it needs Linux'
  if (process.getuid?.() !== 0) return 'it has to be run by root, since it mounts file systems'
  const programs = Object.entries(NEEDED[part])
  for (const [program, name] of programs) if (!isProgram(program)) return `there is no ${program}; Debian's package ${name} has it`
  if (available() < MEMORY[part]) return `it takes ${MEMORY[part]} GB of memory, and ${available().toFixed(1)} GB are available`
  return part === 'machine' ? undefined : missingForDisk()
}

function missingForDisk () {
  for (const device of ['/dev/fuse', '/dev/loop-control']) if (!fs.existsSync(device)) return `there is no ${device}`
  for (const type of ['ext4', 'xfs']) if (!knows(type)) return `the kernel does not know ${type}`
}

function isProgram (name) {
  return ['/usr/local/sbin', '/usr/sbin', '/sbin', ...(process.env.PATH ?? '').split(':')].some(folder => fs.existsSync(`${folder}/${name}`))
}

function available () {
  return Number(/MemAvailable: +(\d+)/.exec(fs.readFileSync('/proc/meminfo', 'utf8'))?.[1] ?? 0) / 2 ** 20
}

function knows (type) {
  const listed = () => fs.readFileSync('/proc/filesystems', 'utf8').split(/\s/).includes(type)
  if (listed()) return true
  try {
    execFileSync('modprobe', [type], { stdio: 'ignore' })
  } catch {}
  return listed()
}

module.exports = { missing }
