'use strict'

const { Keyspace } = require('../media/keyspace')
const { Layout, after } = require('../media/layout')
const { LAYOUT_VERSION } = require('../media/upgrade')
const { publicName } = require('../store/shard-names')

/** Databases that are looked at by one read. */
const PAGE = 1000

/**
 * Finds the databases that opening brings to another layout, as those who may want to go back need to know. Changes nothing.
 *
 * @param {import('../media/keyspace').Level} level of `Databases`, open
 * @param {{ prefix?: string }} [options]
 * @returns {Promise<Array<{ name: string, version: number }>>} by name
 */
async function formerLayouts (level, { prefix = '' } = {}) {
  const keyspace = new Keyspace(level, {})
  const names = prefix + 'n'
  const entries = await keyspace.entries({ gte: names, lt: after(names) }).all()
  /** @type {Map<string, number>} */
  const found = new Map()
  for (let at = 0; at < entries.length; at += PAGE) {
    const page = entries.slice(at, at + PAGE)
    const texts = await keyspace.getMany(page.map(([, number]) => new Layout(`${prefix}b${number}/`).meta('database')))
    for (const [i, [key]] of page.entries()) {
      const version = versionIn(texts[i])
      if (version < LAYOUT_VERSION) found.set(publicName(key.slice(names.length)), version)
    }
  }
  return [...found].map(([name, version]) => ({ name, version }))
}

/** @param {string | undefined} text @returns {number} Infinity where it says none: opening tells what is wrong with it */
function versionIn (text) {
  try {
    const { version } = JSON.parse(text ?? '')
    return Number.isSafeInteger(version) ? version : Infinity
  } catch {
    return Infinity
  }
}

module.exports = { formerLayouts }
