'use strict'

const { ClassicLevel } = require('classic-level')

// The types of classic-level leave out what it offers to subclasses.
const Base = /** @type {any} */ (ClassicLevel)

/**
 * A ClassicLevel whose writes are on the disk before they are acknowledged: LevelDB's `sync`,
 * which is off by default there, so that a power cut may lose the last writes.
 *
 * @see https://github.com/google/leveldb/blob/main/doc/index.md#synchronous-writes
 */
class DurableLevel extends Base {
  _put (key, value, options) {
    return super._put(key, value, { ...options, sync: true })
  }

  _del (key, options) {
    return super._del(key, { ...options, sync: true })
  }

  _batch (operations, options) {
    return super._batch(operations, { ...options, sync: true })
  }

  _chainedBatch () {
    const batch = super._chainedBatch()
    const write = batch._write
    batch._write = (options) => write.call(batch, { ...options, sync: true })
    return batch
  }
}

module.exports = { DurableLevel }
