'use strict'

const { del, put } = require('../media/keyspace')
const { Layout, after } = require('../media/layout')
const { randomHex } = require('../revision-tree/revision')
const { isShard, publicName, shardNames } = require('../store/shard-names')

/**
 * Mends the records of databases of several shards, which are mended already. All shards have the instance id of the
 * whole: where one got another, all get another, so that whoever follows the database by its sequences begins again. A
 * record that is lost is made again. Shards of which some are lost become databases of their own.
 *
 * @param {import('../media/keyspace').Keyspace} keyspace
 * @param {string} prefix of the catalogue
 * @param {Map<string, string>} names by number
 * @returns {AsyncGenerator<import('../..').Loss>}
 */
async function * mendSharded (keyspace, prefix, names) {
  const numbers = new Map([...names].map(([number, name]) => [name, number]))
  const records = prefix + 's'
  const stored = new Map((await keyspace.entries({ gte: records, lt: after(records) }).all()).map(([key, text]) => [key.slice(records.length), text]))
  const known = new Set([...stored.keys(), ...[...numbers.keys()].filter(isShard).map(publicName)])
  for (const name of known) {
    const there = [...numbers.keys()].filter(each => isShard(each) && publicName(each) === name).sort()
    const metaKeys = there.map(shard => new Layout(`${prefix}b${numbers.get(shard)}/`).meta('database'))
    if (isWhole(name, there)) {
      await mendRecord(keyspace, records + name, stored.get(name), metaKeys)
      continue
    }
    yield { kind: 'entry', name }
    const renamed = there.map(shard => ({ shard, number: /** @type {string} */ (numbers.get(shard)) })).map(({ shard, number }) => ({ shard, number, database: freeName(names, number) }))
    for (const { database, number } of renamed) {
      names.set(number, database)
      yield { kind: 'name', database }
    }
    const renames = renamed.flatMap(({ shard, number, database }) => [del(`${prefix}n${shard}`), put(`${prefix}n${database}`, number)])
    await keyspace.write([...stored.has(name) ? [del(records + name)] : [], ...renames])
  }
}

/** Whether the shards of a database are all there. @param {string} name @param {string[]} there sorted */
function isWhole (name, there) {
  return there.length > 1 && shardNames(name, there.length).every((shard, i) => shard === there[i])
}

/** Returns a name that no database has. @param {Map<string, string>} names by number @param {string} number */
function freeName (names, number) {
  const taken = new Set(names.values())
  let name = `salvaged-${number}`
  while (taken.has(name)) name += '-'
  return name
}

/**
 * @param {import('../media/keyspace').Keyspace} keyspace
 * @param {string} key
 * @param {string | undefined} text
 * @param {string[]} metaKeys of the shards
 */
async function mendRecord (keyspace, key, text, metaKeys) {
  const shards = await Promise.all(metaKeys.map(async metaKey => JSON.parse(/** @type {string} */ (await keyspace.get(metaKey)))))
  const { partitioned, createdAt } = shards[0]
  const record = { q: shards.length, ...(partitioned && { partitioned }), instanceId: shards[0].instanceId, createdAt }
  if (text === JSON.stringify(record) && shards.every(({ instanceId }) => instanceId === record.instanceId)) return
  const instanceId = randomHex()
  await keyspace.write([put(key, JSON.stringify({ ...record, instanceId })), ...shards.map((shard, i) => put(metaKeys[i], JSON.stringify({ ...shard, instanceId })))])
}

module.exports = { freeName, mendSharded }
