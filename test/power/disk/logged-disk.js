'use strict'

const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { setTimeout: delay } = require('node:timers/promises')

/** Offset of the number of entries in the superblock of a log, see write-log.js. */
const COUNT = 16

/**
 * A disk, as a file that can be mounted, every write and flush of which goes into a log as well.
 * qemu-storage-daemon serves one request after another, so the log's order is the disk's.
 */
class LoggedDisk {
  #daemon

  /** @param {string} folder @param {any} daemon */
  constructor (folder, daemon) {
    this.#daemon = daemon
    this.path = path.join(folder, 'disk')
    this.log = path.join(folder, 'log')
  }

  /** @param {string} folder an empty one @param {number} bytes */
  static async start (folder, bytes) {
    for (const name of ['image', 'log', 'disk']) fs.writeFileSync(path.join(folder, name), '')
    fs.truncateSync(path.join(folder, 'image'), bytes)
    const daemon = spawn('qemu-storage-daemon', [
      '--blockdev', `driver=file,filename=${folder}/image,node-name=image,cache.no-flush=on,discard=unmap`,
      '--blockdev', `driver=file,filename=${folder}/log,node-name=log,cache.no-flush=on`,
      '--blockdev', 'driver=blklogwrites,node-name=logged,file=image,log=log,log-sector-size=512,log-super-update-interval=1,discard=unmap',
      '--export', `type=fuse,id=disk,node-name=logged,mountpoint=${folder}/disk,writable=on`
    ], { stdio: ['ignore', 'inherit', 'inherit'] })
    const disk = new LoggedDisk(folder, daemon)
    while (fs.statSync(disk.path).size !== bytes) {
      if (daemon.exitCode !== null) throw new Error('qemu-storage-daemon ended')
      await delay(5)
    }
    return disk
  }

  async stop () {
    const ended = once(this.#daemon, 'exit')
    this.#daemon.kill('SIGTERM')
    await ended
  }
}

/** Returns a function that says how many writes and flushes a log has by now. */
function openPosition (log) {
  const file = fs.openSync(log, 'r')
  const bytes = Buffer.alloc(8)
  return () => {
    fs.readSync(file, bytes, 0, 8, COUNT)
    return Number(bytes.readBigUInt64LE())
  }
}

module.exports = { LoggedDisk, openPosition }
