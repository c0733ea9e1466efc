'use strict'

const { MemoryLevel } = require('memory-level')

/**
 * A level in memory that tells each step that is atomic: a batch is one, a clear is as many as
 * there are keys. A step is a list of `[key, value]` (hexadecimal, Buffer), value null where it is
 * removed.
 */
class JournalLevel extends MemoryLevel {
  #tell
  #pause

  /**
   * @param {(step: Array<[string, Buffer | null]>) => void} tell
   * @param {() => Promise<void> | undefined} pause how long the level takes to answer
   */
  constructor (tell, pause = () => undefined) {
    super({ storeEncoding: 'buffer' })
    this.#tell = tell
    this.#pause = pause
  }

  async _batch (operations, options) {
    await this.#pause()
    await super._batch(operations, options)
    this.#tell(operations.map(({ type, key, value }) => [toHex(key), type === 'put' ? Buffer.from(value) : null]))
    await this.#pause()
  }

  async _clear (options) {
    const keys = await this.keys({ ...options, keyEncoding: 'buffer' }).all()
    await super._clear(options)
    for (const key of keys) this.#tell([[toHex(key), null]])
    await this.#pause()
  }
}

function toHex (key) {
  return Buffer.from(key).toString('hex')
}

/** Applies a step to what is stored. */
function applyStep (contents, step) {
  for (const [key, value] of step) {
    if (value === null) contents.delete(key)
    else contents.set(key, value)
  }
}

/** Puts such contents into a level. */
async function fill (level, contents) {
  await level.open()
  const operations = [...contents].map(([key, value]) => ({ type: 'put', key: Buffer.from(key, 'hex'), value }))
  await level.batch(operations, { keyEncoding: 'buffer', valueEncoding: 'buffer' })
  return level
}

module.exports = { JournalLevel, applyStep, fill }
