'use strict'

const { execFileSync } = require('node:child_process')
const { mkdtempSync, rmSync, rmdirSync, statfsSync, writeFileSync } = require('node:fs')
const os = require('node:os')
const path = require('node:path')

/** A file system of a few MiB, in memory. Only the machine's administrator may make one. */
class SmallDisk {
  path = mkdtempSync(path.join(os.tmpdir(), 'potoroo-disk-'))

  /** @param {number} mebibytes */
  constructor (mebibytes) {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=700`, 'potoroo-test', this.path], { stdio: 'pipe' })
  }

  /** @returns {boolean} */
  static isAllowed () {
    try {
      new SmallDisk(1).remove()
      return true
    } catch {
      return false
    }
  }

  /** Bytes that are free. */
  get free () {
    const { bfree, bsize } = statfsSync(this.path)
    return bfree * bsize
  }

  /** Leaves that many bytes free. */
  fill (left = 0) {
    this.empty()
    const name = path.join(this.path, 'filler')
    const bytes = Buffer.alloc(64 * 1024)
    while (this.free - left >= bytes.length) writeFileSync(name, bytes, { flag: 'a' })
    if (this.free > left) writeFileSync(name, bytes.subarray(0, this.free - left), { flag: 'a' })
  }

  /** Gives free what `fill` took. */
  empty () {
    rmSync(path.join(this.path, 'filler'), { force: true })
  }

  /** Removes it: it may not be used after that. */
  remove () {
    execFileSync('umount', [this.path], { stdio: 'pipe' })
    rmdirSync(this.path)
  }
}

module.exports = { SmallDisk }
