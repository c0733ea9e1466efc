'use strict'

const assert = require('node:assert/strict')
const { mkdtempSync, rmSync, writeFileSync } = require('node:fs')
const { tmpdir } = require('node:os')
const path = require('node:path')

const { launchChromium, servePage } = require('../../../test/support/chromium')
const { bundleScript } = require('../scripts/bundle')

/**
 * In the page: random programs on a level and on a model of it, an object that is copied for each snapshot. Keys are few, so
 * that ranges and snapshots meet what was written since; one is beyond the surrogates, where the order of bytes is another
 * than that of code units.
 */
function runPrograms (PageLevel) {
  const UTF8 = { keyEncoding: 'utf8', valueEncoding: 'utf8' }
  const KEYS = ['a', 'b', 'ba', 'bb', 'c', 'd!', 'd\u00e9', 'd\ufffd', 'd\u{1f600}', 'e']
  let state = 1
  const random = limit => {
    state = (state * 48271) % 2147483647
    return state % limit
  }
  const pick = list => list[random(list.length)]
  const order = new TextEncoder()
  const compare = (a, b) => {
    const [x, y] = [order.encode(a), order.encode(b)]
    for (let i = 0; i < Math.min(x.length, y.length); i++) if (x[i] !== y[i]) return x[i] - y[i]
    return x.length - y.length
  }
  const someRange = () => {
    const range = {}
    if (random(3) > 0) range[pick(['gt', 'gte'])] = pick(KEYS)
    if (random(3) > 0) range[pick(['lt', 'lte'])] = pick(KEYS)
    return range
  }
  const isWithin = ({ gt, gte, lt, lte }, key) =>
    (gt === undefined || compare(key, gt) > 0) && (gte === undefined || compare(key, gte) >= 0) &&
    (lt === undefined || compare(key, lt) < 0) && (lte === undefined || compare(key, lte) <= 0)
  const entriesOf = (model, range, reverse) => {
    const entries = Object.entries(model).filter(([key]) => isWithin(range, key)).sort(([a], [b]) => compare(a, b))
    return reverse ? entries.reverse() : entries
  }
  const same = (found, wanted, what) => {
    if (JSON.stringify(found) !== JSON.stringify(wanted)) throw new Error(`${what}: ${JSON.stringify(found)} and not ${JSON.stringify(wanted)}`)
  }

  async function step (level, world) {
    const seen = pick([undefined, ...world.snapshots])
    const { snapshot, model } = seen ?? { model: world.model }
    const options = { ...UTF8, snapshot }
    switch (random(9)) {
      case 0: case 1: {
        const operations = Array.from({ length: 1 + random(4) }, () => random(3) === 0 ? { type: 'del', key: pick(KEYS) } : { type: 'put', key: pick(KEYS), value: `v${random(1000)}é` })
        if (random(2) === 0) await level.batch(operations, UTF8)
        else {
          const batch = level.batch()
          for (const { type, key, value } of operations) batch[type](...(type === 'del' ? [key] : [key, value]), UTF8)
          await batch.write(UTF8)
          await batch.close()
        }
        for (const { type, key, value } of operations) {
          if (type === 'del') delete world.model[key]
          else world.model[key] = value
        }
        return
      }
      case 2: {
        if (random(4) > 0) return
        const range = someRange()
        await level.clear({ ...range, keyEncoding: 'utf8' })
        for (const [key] of entriesOf(world.model, range)) delete world.model[key]
        return
      }
      case 3: {
        if (world.snapshots.length < 3) world.snapshots.push({ snapshot: level.snapshot(), model: { ...world.model } })
        else await world.snapshots.shift().snapshot.close()
        return
      }
      case 4: {
        const keys = [pick(KEYS), pick(KEYS)]
        same(await Promise.all(keys.map(key => level.get(key, options))), keys.map(key => model[key]), 'get')
        return
      }
      case 5: {
        const keys = Array.from({ length: 1 + random(12) }, () => pick(KEYS))
        same(await level.getMany(keys, options), keys.map(key => model[key]), 'getMany')
        const bytes = await level.getMany(keys, { ...options, valueEncoding: 'buffer' })
        same(bytes.map(value => value?.toString('latin1')), keys.map(key => model[key]?.replace('é', 'Ã©')), 'bytes')
        return
      }
      case 6: {
        const [range, reverse, limit] = [someRange(), random(2) === 0, pick([undefined, 0, 2, 5])]
        const wanted = entriesOf(model, range, reverse).slice(0, limit)
        same(await level.iterator({ ...range, ...options, reverse, limit }).all(), wanted, 'all entries')
        same(await level.keys({ ...range, reverse, limit, snapshot, keyEncoding: 'utf8' }).all(), wanted.map(([key]) => key), 'all keys')
        return
      }
      case 7: {
        const [range, reverse, size] = [someRange(), random(2) === 0, 1 + random(3)]
        const iterator = level.iterator({ ...range, ...options, reverse })
        let wanted = entriesOf(model, range, reverse)
        for (let i = 0; i < 3; i++) {
          if (random(2) === 0) {
            const target = pick(KEYS)
            iterator.seek(target)
            wanted = isWithin(range, target) ? entriesOf(model, range, reverse).filter(([key]) => reverse ? compare(key, target) <= 0 : compare(key, target) >= 0) : []
          }
          // It does not see what is written while it reads.
          if (snapshot === undefined && random(3) === 0) await level.batch([{ type: 'put', key: 'b', value: 'later' }], UTF8)
          // It may give less than asked for, if it gives any.
          const found = await iterator.nextv(size)
          same(found, wanted.slice(0, Math.min(size, found.length || size)), 'some entries')
          wanted = wanted.slice(found.length)
        }
        await iterator.close()
        const [[, value] = []] = await level.iterator({ gte: 'b', lte: 'b', ...UTF8 }).all()
        if (value === 'later') world.model.b = value
        return
      }
      case 8: {
        await level.close()
        const found = await level.get('a', UTF8).catch(error => error.code)
        same(found, 'LEVEL_DATABASE_NOT_OPEN', 'closed')
        world.snapshots = []
        await level.open()
      }
    }
  }

  return async function (programs) {
    for (let program = 0; program < programs; program++) {
      state = program + 1
      const level = new PageLevel(`program-${program}`)
      await level.open()
      const world = { model: {}, snapshots: [] }
      try {
        for (let i = 0; i < 60; i++) await step(level, world)
      } catch (error) {
        return `program ${program}: ${error.stack}`
      }
      await level.close()
      await PageLevel.destroy(`program-${program}`)
    }
    return (await indexedDB.databases()).map(({ name }) => name).join() || 'ok' // eslint-disable-line no-undef
  }
}

describe('The level of pages', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pouchdb-adapter-level-page-level-'))
  let browser, site

  before(async () => {
    const file = path.join(folder, 'entry.mjs')
    writeFileSync(file, `import { PageLevel } from ${JSON.stringify(path.join(__dirname, '../page/level/page-level'))}\n${runPrograms}\nwindow.runPrograms = runPrograms(PageLevel)\nwindow.PageLevel = PageLevel\n`)
    await bundleScript(file, path.join(folder, 'level.js'))
    site = await servePage([path.join(folder, 'level.js')])
    browser = await launchChromium()
  })
  after(async () => {
    await browser?.close()
    site.close()
    rmSync(folder, { recursive: true, force: true })
  })

  async function openPage () {
    const page = await (await browser.newContext()).newPage()
    await page.goto(site.address)
    return page
  }

  it('reads and writes as a level does, with snapshots and iterators among writes', async () => {
    const page = await openPage()
    assert.equal(await page.evaluate(() => window.runPrograms(60)), 'ok')
  })

  it('refuses what is closed, and keeps a snapshot that is being read', async () => {
    const page = await openPage()
    const codes = await page.evaluate(async () => {
      const level = new window.PageLevel('closed')
      const codeOf = promise => promise.then(value => value, error => error.code)
      const UTF8 = { valueEncoding: 'utf8' }
      await level.open()
      await level.batch([{ type: 'put', key: 'a', value: 'old' }])
      const [snapshot, iterator] = [level.snapshot(), level.iterator({})]
      const reading = level.get('a', { ...UTF8, snapshot })
      const writing = level.batch([{ type: 'put', key: 'a', value: 'new' }])
      await snapshot.close()
      await iterator.close()
      const codes = [await reading, await codeOf(level.get('a', { ...UTF8, snapshot })), await codeOf(iterator.nextv(1)), await writing, await level.get('a', UTF8)]
      await level.close()
      return [...codes, await codeOf(level.batch([{ type: 'del', key: 'a' }])), await codeOf(level.clear({}))]
    })
    assert.deepEqual(codes, ['old', 'LEVEL_SNAPSHOT_NOT_OPEN', 'LEVEL_ITERATOR_NOT_OPEN', undefined, 'new', 'LEVEL_DATABASE_NOT_OPEN', 'LEVEL_DATABASE_NOT_OPEN'])
  })
})
