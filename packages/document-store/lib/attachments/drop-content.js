'use strict'

const { del } = require('../media/keyspace')

/**
 * @import { Core } from '../store/core'
 */

/** Chunks that are removed at once. */
const STEP = 128

/**
 * Removes content that nothing refers to, however much of it there is; its marker goes last. Does
 * nothing where no marker names it: then a commit refers to it.
 *
 * @param {import('../store/core').Core} core
 * @param {string} content
 */
async function dropContent (core, content) {
  const { keyspace, layout } = core
  const marker = layout.upload(content)
  if (await keyspace.get(marker) === undefined) return
  const last = await lastChunk(core, content)
  for (let number = 0; number <= last; number += STEP) {
    const end = Math.min(number + STEP, last + 1)
    await core.write(Array.from({ length: end - number }, (_, i) => del(layout.chunk(content, number + i))))
    await keyspace.turn()
  }
  await core.write([del(marker)])
}

/**
 * Returns the number of the last chunk, -1 for none. Chunks are never read: they may be gigabytes.
 *
 * @param {Core} core
 * @param {string} content
 */
async function lastChunk ({ keyspace, layout }, content) {
  const [key] = await keyspace.keys({ ...layout.range(layout.contentChunks(content)), reverse: true, limit: 1 }).all()
  return key === undefined ? -1 : layout.chunkNumberOf(key, content)
}

/**
 * Removes, at open, uploads that were interrupted, and content that was dropped and is not yet removed.
 *
 * @param {Core} core
 */
async function removeOrphans (core) {
  const keys = await core.keyspace.keys(core.layout.range(core.layout.uploads)).all()
  for (const key of keys) await dropContent(core, core.layout.contentOf(key))
}

/** Removes contents one after another, while others go on. */
class Dropper {
  #core
  /** @type {Map<string, Promise<void>>} */
  #dropping = new Map()
  #last = Promise.resolve()

  /** @param {Core} core */
  constructor (core) {
    this.#core = core
  }

  /**
   * @param {string} content
   * @returns {Promise<void>} when it is gone. If that fails, the marker stays and the next open
   *   removes it
   */
  drop (content) {
    let dropping = this.#dropping.get(content)
    if (dropping === undefined) {
      dropping = this.#last.then(() => dropContent(this.#core, content)).catch(() => {})
        .finally(() => this.#dropping.delete(content))
      this.#dropping.set(content, dropping)
      this.#last = dropping
    }
    return dropping
  }

  /** Resolves when all is gone that was dropped so far. */
  settled () { return this.#last }
}

module.exports = { removeOrphans, Dropper }
