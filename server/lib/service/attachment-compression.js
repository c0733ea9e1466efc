'use strict'

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
  /** @type {{ level: number, types: RegExp[] } | null} */
  let settings = null
  config.on('change', section => { if (section === 'attachments') settings = null })
  return contentType => {
    settings ??= readSettings(config)
    if (settings.level === 0) return 0
    // Parameters of a type, like its charset, do not count.
    const type = contentType.split(';', 1)[0].trim()
    return settings.types.some(pattern => pattern.test(type)) ? settings.level : 0
  }
}

/** @param {Config} config */
function readSettings (config) {
  const level = Number(config.get('attachments', 'compression_level'))
  const types = config.get('attachments', 'compressible_types').split(',').map(type => type.trim()).filter(Boolean)
  return { level: Number.isInteger(level) && level > 0 ? Math.min(level, 9) : 0, types: types.map(toPattern) }
}

/** `text/*` stands for all that begins so. @param {string} type */
function toPattern (type) {
  const words = type.split('*').map(part => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'))
  return new RegExp(`^${words.join('.*')}$`, 'is')
}

module.exports = { compressionLevel }
