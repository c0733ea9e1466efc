'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { LevelHistory } = require('./level-history')
const { Writer, bytesOfFiles, hashOf } = require('./level-load')

const WRITERS = 3
const LATER = Buffer.from('later')
const KEY = Buffer.alloc(32, 'k')

const OPEN = {
  pmem: folder => new (require('pmem-level').PmemLevel)(folder),
  relaxed: folder => new (require('pmem-level').PmemLevel)(folder, { durability: 'relaxed' }),
  encrypted: folder => new (require('pmem-level').PmemLevel)(folder, { key: KEY }),
  leveldb: folder => new (require('@potoroo/storage').DurableClassicLevel)(folder)
}

/** A relaxed pool may lose what was acknowledged in the last second; the rest is the time that the flush takes. */
const GRACE = { pmem: 0, relaxed: 1500, encrypted: 0, leveldb: 0 }

/** A level, strict, relaxed or encrypted, with several writers, which grows. */
class LevelSubject {
  #kind
  #folder

  /** @param {'pmem' | 'relaxed' | 'encrypted' | 'leveldb'} kind @param {string} disk where it is mounted */
  constructor (kind, disk) {
    this.#kind = kind
    this.#folder = path.join(disk, 'level')
  }

  /** Works until `enough()`. @param {(event: object) => void} tell @param {() => number} random @param {() => boolean} enough */
  async load (tell, random, enough) {
    let level = await this.#open()
    tell({ opened: true })
    const hostile = bytesOfFiles(this.#folder, random)
    let size = 0
    const grown = () => {
      const now = level.stats?.().size ?? 0
      if (now !== size) tell({ grown: size = now })
    }
    const writers = Array.from({ length: WRITERS }, (_, i) => new Writer(() => level, i, tell, random, hostile))
    while (!enough()) {
      const until = 100 + random() * 300
      await Promise.all(writers.map(async writer => {
        for (let i = 0; i < until && !enough(); i++) {
          await writer.step()
          grown()
          await new Promise(setImmediate)
        }
      }))
      await level.close()
      level = await this.#open()
    }
  }

  /** Checks what has to be true after a power cut. @param {string} events file @param {number} position */
  async verify (events, position) {
    const history = LevelHistory.read(events)
    if (!fs.existsSync(this.#folder)) return history.verify(new Map(), position, GRACE[this.#kind])
    if (history.has('opened', position)) await this.#check()
    const found = await this.#contents(async (level, contents) => {
      const result = history.verify(contents, position, GRACE[this.#kind])
      const some = [...contents.keys()].slice(0, 3)
      await level.batch(some.map(key => ({ type: 'put', key, value: LATER })), { valueEncoding: 'buffer' })
      for (const key of some) contents.set(key, hashOf(LATER))
      return { ...result, contents }
    })
    await this.#contents(async (level, contents) => assert.deepEqual(contents, found.contents, 'it is another database when it is opened again'))
    return { steps: found.steps, lost: found.lost }
  }

  async #open () {
    const level = OPEN[this.#kind](this.#folder)
    await level.open()
    return level
  }

  async #check () {
    if (this.#kind === 'leveldb') return
    const { check } = require('pmemobj')
    const { problems } = await check(this.#folder, this.#kind === 'encrypted' ? { key: KEY } : {})
    assert.deepEqual(problems, [], 'check finds problems')
  }

  async #contents (use) {
    const level = await this.#open()
    try {
      const contents = new Map()
      for await (const [key, value] of level.iterator({ valueEncoding: 'buffer' })) contents.set(key, hashOf(value))
      return await use(level, contents)
    } finally {
      await level.close()
    }
  }
}

module.exports = { LevelSubject }
