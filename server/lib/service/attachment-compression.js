'use strict'

const { list } = require('../config/schema')

/** @typedef {import('../config/config').Config} Config */

/**
 * The settings of `[attachments]` for compression.
 *
 * @param {import('../config/config').Config} config
 * @returns {(contentType: string) => number} how hard content of this type is compressed before it is
 *   stored: 1 to 9, 0 for not at all
 * @see https://docs.couchdb.org/en/stable/config/misc.html#configuration-of-attachment-storage
 */
function compressionLevel (config) {
  const settings = config.section(schema)
  return contentType => {
    const { level, types } = settings.now
    if (level === 0) return 0
    // Parameters of a type, like its charset, do not count.
    const type = contentType.split(';', 1)[0].trim()
    return types.some(pattern => pattern.test(type)) ? level : 0
  }
}

const schema = {
  /** @param {Config} config */
  level: config => {
    const level = Number(config.get('attachments', 'compression_level'))
    return Number.isInteger(level) && level > 0 ? Math.min(level, 9) : 0
  },
  /** @param {Config} config */
  types: config => list('attachments', 'compressible_types')(config).map(toPattern)
}

/** `text/*` stands for all that begins so. @param {string} type */
function toPattern (type) {
  const words = type.split('*').map(part => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'))
  return new RegExp(`^${words.join('.*')}$`, 'is')
}

module.exports = { compressionLevel }
