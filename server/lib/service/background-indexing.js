'use strict'

/**
 * Keeps the indexes of all databases up to date in the background, as `[ken]` says: without channels not
 * at all, and not those of databases in `[ken.ignore]`.
 *
 * @param {import('./service').Service} service
 * @see https://docs.couchdb.org/en/stable/config/indexbuilds.html
 */
function keepIndexed ({ views, databases, config, log }) {
  /** @param {keyof import('../config/defaults').Settings['ken']} key */
  const number = key => Math.max(0, config.integer('ken', key))
  return views.inBackground(databases.users, {
    channels: () => ({ batch: number('batch_channels'), incremental: number('incremental_channels'), short: number('max_incremental_updates') }),
    /** @param {string} name */
    ignores: name => config.get('ken.ignore', name) === 'true',
    /** @param {any} error */
    onError: (error, database, design) => error.code === 'NOT_OWNER' || log.quote('warning', `${database} ${design}: not indexed in the background: ${error.error ?? error.name}: ${error.reason ?? error.message}`)
  })
}

module.exports = { keepIndexed }
