'use strict'

const assert = require('node:assert')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { findDriver, findTrial, missing, pairs } = require('../lib/run/catalogue')
const { makeMidi, readMetadata, metadataOf, HEAD } = require('../lib/data/midi')
const { MongodbServer } = require('./mongodb-server')

const SIZE = 40
const STEP = 5

describe('trials of objects', () => {
  let folder

  beforeEach(() => { folder = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-perf-')) })
  afterEach(() => fs.rmSync(folder, { recursive: true, force: true }))

  for (const pair of withoutUrl(() => pairs({ only: /^objects\//, media: ['tmpfs'] }))) {
    it(`${titleOf(pair)} runs, and finds what it wrote`, () => runOnce(pair, folder))
  }

  describe('on MongoDB', () => {
    const url = process.env.MONGODB_URL
    const server = new MongodbServer()

    before(async () => { process.env.MONGODB_URL = await server.listen() })
    after(async () => {
      delete process.env.MONGODB_URL
      if (url !== undefined) process.env.MONGODB_URL = url
      await server.close()
    })

    for (const pair of withUrl('mongodb://127.0.0.1/', () => pairs({ only: /^objects\/.*mongodb/, media: ['tmpfs'] }))) {
      it(`${titleOf(pair)} says to a server what it should, and takes its answers`, () => runOnce(pair, folder))
    }
  })

  it('leave MongoDB out, and say so, where no server is given', () => withoutUrl(() => {
    assert.deepStrictEqual(pairs({ only: /mongodb/, media: ['tmpfs', 'disk'] }), [])
    assert(missing().includes('mongodb is left out: MONGODB_URL says where a server of it is'))
  }))
})

describe('generated MIDI files', () => {
  it('are of 20 to 40 KB, equal in every run, and have their metadata in front', () => {
    for (let number = 0; number < 20; number++) {
      const bytes = makeMidi(number)
      assert(bytes.length >= 20 * 1024 && bytes.length <= 40 * 1024 + HEAD, `${bytes.length} bytes`)
      assert.deepStrictEqual(bytes, makeMidi(number))
      assert.deepStrictEqual(readMetadata(bytes.subarray(0, HEAD)), metadataOf(number))
    }
  })

  it('consist of their chunks, of which each ends with the end of a track', () => {
    const bytes = Buffer.from(makeMidi(3))
    const tracks = []
    for (let at = 14; at < bytes.length; at += 8 + bytes.readUInt32BE(at + 4)) {
      tracks.push(bytes.toString('latin1', at, at + 4))
      const end = at + 8 + bytes.readUInt32BE(at + 4)
      assert.deepStrictEqual([...bytes.subarray(end - 4, end)], [0, 0xff, 0x2f, 0])
    }
    assert.deepStrictEqual(tracks, new Array(bytes.readUInt16BE(10)).fill('MTrk'))
  })
})

function titleOf ({ title }) {
  return title.slice('objects/'.length)
}

function withUrl (value, work) {
  const before = process.env.MONGODB_URL
  if (value === undefined) delete process.env.MONGODB_URL
  else process.env.MONGODB_URL = value
  try {
    return work()
  } finally {
    delete process.env.MONGODB_URL
    if (before !== undefined) process.env.MONGODB_URL = before
  }
}

function withoutUrl (work) {
  return withUrl(undefined, work)
}

/** As lib/run/child.js does it, but in this process, once, and with few objects. */
async function runOnce ({ trial: trialName, driver: driverName }, folder) {
  const trial = findTrial(trialName)
  const driver = findDriver(driverName)
  const subject = await driver.open(folder)
  const state = await trial.prepare(subject, { size: SIZE, folder, driver: driverName, reopen: () => driver.open(folder) })
  const step = Math.min(trial.step ?? 1, STEP)
  await trial.ready?.(state, 0, step)
  const result = await trial.run(state, 0, step)
  if (trial.figure) return assert(Number.isFinite(result))
  await (state.current ?? subject).close()
}
