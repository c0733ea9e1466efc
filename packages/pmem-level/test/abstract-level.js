'use strict'

// abstract-level's own suite, with tape: `node test/abstract-level.js`, on pools that are
// encrypted, too.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const test = require('tape')
const suite = require('abstract-level/test')
const { PmemLevel } = require('..')

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pmem-level-'))
/** Databases that a test may still need. */
const LAST = 30
let count = 0
/** @type {TestedLevel[]} those whose pools are still there */
const made = []

/** Knows its sublevels. */
class TestedLevel extends PmemLevel {
  #sublevels = []

  sublevel (name, options) {
    const sublevel = super.sublevel(name, options)
    this.#sublevels.push(sublevel)
    return sublevel
  }

  /** Tests that are over hear nothing of it. */
  async remove () {
    for (const each of [this, ...this.#sublevels]) each.removeAllListeners()
    await this.close().catch(() => {})
    fs.rmSync(this.location, { recursive: true, force: true })
  }
}

class EncryptedLevel extends TestedLevel {
  _open (options) { return super._open({ ...options, key: Buffer.alloc(32, 'k') }) }
}

/** Tests of sublevels leave theirs open, and hundreds of pools take more memory than a small machine has. */
function removeOld () {
  for (const level of made.splice(0, made.length - LAST)) level.remove()
}

test.onFinish(() => fs.rmSync(folder, { recursive: true, force: true }))

for (const Level of [TestedLevel, EncryptedLevel]) {
  suite({
    test,
    factory (options) {
      removeOld()
      const level = new Level(path.join(folder, String(count++)), options)
      made.push(level)
      return level
    }
  })
}
