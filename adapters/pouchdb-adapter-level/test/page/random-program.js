'use strict'

/* global IDBKeyRange, indexedDB */

/**
 * Runs in a page: writes, reads, snapshots and new starts by chance, beside a map in memory.
 *
 * @param {number} seed
 * @returns {Promise<{ problems: string[], blocks: number, reads: number }>}
 */
module.exports = async function randomProgram (seed) {
  // mulberry32
  const below = count => {
    seed = (seed + 0x6d2b79f5) | 0
    let mixed = Math.imul(seed ^ seed >>> 15, 1 | seed)
    mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed
    return ((mixed ^ mixed >>> 14) >>> 0) % count
  }
  const name = `random-${seed}`
  const keyOf = number => ['a', 'é', '𝄞', '\uffff', 'd-'][number % 5] + number.toString(36)
  const bytesOf = key => String.fromCharCode(...new TextEncoder().encode(key))
  const ordered = Array.from({ length: 3000 }, (_, number) => keyOf(number)).sort((a, b) => bytesOf(a) < bytesOf(b) ? -1 : 1)
  const problems = []
  let level = new window.PageLevel(name)
  await level.open()
  let model = new Map()
  let snapshots = []
  let reads = 0

  async function write () {
    const operations = Array.from({ length: 1 + below(150) }, () => {
      const key = keyOf(below(3000))
      return below(4) === 0 ? { type: 'del', key } : { type: 'put', key, value: `${below(1e6)} `.repeat(1 + below(below(50) === 0 ? 12_000 : 300)) }
    })
    model = new Map(model)
    for (const { type, key, value } of operations) type === 'del' ? model.delete(key) : model.set(key, value)
    await level.batch(operations)
  }

  async function read ([state, options]) {
    reads++
    const keys = Array.from({ length: 1 + below(20) }, () => keyOf(below(3000)))
    const values = await level.getMany(keys, options)
    keys.forEach((key, i) => { if (values[i] !== state.get(key)) problems.push(`get ${key}`) })
    const [one, other] = [below(3000), below(3000)]
    const [low, high] = [Math.min(one, other), Math.max(one, other)]
    const range = { gt: ordered[low], lte: ordered[high], reverse: below(2) === 0, limit: below(3) === 0 ? undefined : below(400) }
    const rows = await level.iterator({ ...range, ...options }).all()
    let expected = ordered.slice(low + 1, high + 1).filter(key => state.has(key)).map(key => [key, state.get(key)])
    if (range.reverse) expected.reverse()
    if (range.limit !== undefined) expected = expected.slice(0, range.limit)
    if (JSON.stringify(rows) !== JSON.stringify(expected)) problems.push(`range ${JSON.stringify(range)}: ${rows.length} of ${expected.length}`)
  }

  async function closeSnapshots () {
    for (const [, { snapshot }] of snapshots) await snapshot.close()
    snapshots = []
  }

  for (let round = 0; round < 250; round++) {
    await Promise.all([write(), ...snapshots.map(read)])
    await read([model, {}])
    if (below(6) === 0) snapshots.push([model, { snapshot: level.snapshot() }])
    if (below(25) === 0) await closeSnapshots()
    if (below(40) === 0) {
      await closeSnapshots()
      await level.close()
      level = new window.PageLevel(name)
      await level.open()
      await read([model, {}])
    }
  }
  await closeSnapshots()
  await level.clear({ gte: 'a', lt: 'd' })
  model = new Map([...model].filter(([key]) => !key.startsWith('a')))
  await read([model, {}])
  await level.close()
  const database = await new Promise(resolve => { indexedDB.open(name).onsuccess = event => resolve(event.target.result) })
  const counted = database.transaction('blocks').objectStore('blocks').count(IDBKeyRange.lowerBound([]))
  const blocks = await new Promise(resolve => { counted.onsuccess = () => resolve(counted.result) })
  database.close()
  return { problems, blocks, reads }
}
