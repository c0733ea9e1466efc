'use strict'

const { AbstractLevel } = require('abstract-level')
const { ClassicLevel } = require('classic-level')

// The types of classic-level leave out what it offers to subclasses.
const Base = /** @type {any} */ (ClassicLevel)

const CLEARED_AT_ONCE = 1000

/**
 * classic-level whose every write is on disk when its promise resolves. By itself LevelDB
 * leaves that to the operating system, and a power cut takes the last writes back.
 */
class DurableClassicLevel extends Base {
  _put (key, value, options) {
    return super._put(key, value, { ...options, sync: true })
  }

  _del (key, options) {
    return super._del(key, { ...options, sync: true })
  }

  _batch (operations, options) {
    return super._batch(operations, { ...options, sync: true })
  }

  /** abstract-level's own, which writes by `_batch`. */
  _chainedBatch () {
    return /** @type {any} */ (AbstractLevel).prototype._chainedBatch.call(this)
  }

  /** classic-level clears without sync, and has no option for it. */
  async _clear (options) {
    const { keyEncoding } = options
    const keys = this.keys(options)
    try {
      while (true) {
        const some = await keys.nextv(CLEARED_AT_ONCE)
        if (some.length === 0) return
        await this._batch(some.map(key => ({ type: 'del', key, keyEncoding })), {})
      }
    } finally {
      await keys.close()
    }
  }
}

module.exports = { DurableClassicLevel }
