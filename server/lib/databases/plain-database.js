'use strict'

/**
 * Whether only the rights of its own security object hold for a database: those of the system have rules besides.
 *
 * @param {string} name of a database, and not of a shard
 * @param {{ isUsersDatabase: (name: string) => boolean }} users
 */
function isPlain (name, users) {
  return !name.startsWith('_') && !name.endsWith('_replicator') && !users.isUsersDatabase(name)
}

module.exports = { isPlain }
