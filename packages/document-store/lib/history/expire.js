'use strict'

const { nextPage } = require('../reading/cursor')
const { Expiry } = require('./retention')
const { PAGE } = require('./version-rows')
const { decodeVersion } = require('./version')

/**
 * @import { Core } from '../store/core'
 * @import { Commit } from '../commit/commit'
 */

/**
 * Drops the versions that need not be kept any more, in small commits between those of others.
 *
 * @param {Core} core
 * @param {() => boolean} isStopped
 * @param {(count: number) => void} onStep is told of versions that were looked at
 */
async function expireVersions (core, isStopped, onStep) {
  const { keyspace, layout } = core
  if (core.totals.versions === 0) return
  const expiry = new Expiry(core.retention, core.options.now())
  const iterator = keyspace.entries({ ...layout.range(layout.versions), reverse: true })
  const release = core.hold(() => iterator.close())
  try {
    while (!isStopped()) {
      const entries = await nextPage(core, iterator, PAGE)
      if (entries.length === 0) return
      const keys = entries.filter(([key, text]) => isExpired(core, expiry, key, text)).map(([key]) => key)
      if (keys.length > 0) await drop(core, keys)
      onStep(entries.length)
    }
  } finally {
    await release()
  }
}

/** @param {Core} core @param {Expiry} expiry @param {string} key @param {string} text */
function isExpired ({ layout }, expiry, key, text) {
  const { id, seq } = layout.versionOf(key)
  return expiry.isExpired(id, decodeVersion(seq, text))
}

/** @param {Core} core @param {string[]} keys */
function drop (core, keys) {
  return core.queue.push({ keys: [], kept: 'all', apply: (/** @type {Commit} */ commit) => commit.dropVersions(keys) })
}

module.exports = { expireVersions }
