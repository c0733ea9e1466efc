'use strict'

/**
 * The settings of `[adaptive_indexes]`, as `AdaptiveIndexes` wants it: read at each use, so that a change is in
 * force at once.
 *
 * @param {import('../config/config').Config} config
 */
function adaptiveSettings (config) {
  /** @param {keyof import('../config/defaults').Settings['adaptive_indexes']} key */
  const number = (key, unit = 1) => Math.max(0, config.integer('adaptive_indexes', key)) * unit
  return {
    get askThreshold () { return number('ask_threshold') },
    get minDocuments () { return number('min_documents') },
    get maxIndexes () { return number('max_indexes') },
    get maxSize () { return number('max_size') },
    get catchUp () { return number('max_catch_up') },
    get restAfter () { return number('rest_after', 1000) },
    get dropAfter () { return number('drop_after', 1000) }
  }
}

module.exports = { adaptiveSettings }
