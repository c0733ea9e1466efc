'use strict'

const { integer } = require('../config/schema')

const schema = {
  batch: integer('ken', 'batch_channels', { least: 0 }),
  incremental: integer('ken', 'incremental_channels', { least: 0 }),
  short: integer('ken', 'max_incremental_updates', { least: 0 })
}

/**
 * Keeps the indexes of all databases up to date in the background, as `[ken]` says: without channels not
 * at all, and not those of databases in `[ken.ignore]`.
 *
 * @param {import('../service/service').Service} service
 * @see https://docs.couchdb.org/en/stable/config/indexbuilds.html
 */
function keepIndexed ({ views, databases, config, log }) {
  const settings = config.section(schema)
  return views.inBackground(databases.users, {
    channels: () => settings.now,
    /** @param {string} name */
    ignores: name => config.get('ken.ignore', name) === 'true',
    /** @param {any} error */
    onError: (error, database, design) => error.code === 'NOT_OWNER' || log.quote('warning', `${database} ${design}: not indexed in the background: ${error.error ?? error.name}: ${error.reason ?? error.message}`)
  })
}

module.exports = { keepIndexed }
