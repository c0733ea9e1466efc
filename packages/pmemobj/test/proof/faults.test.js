'use strict'

const assert = require('node:assert')
const fs = require('node:fs')
const path = require('node:path')
const { build } = require('./native/build')
const { powerLives } = require('./power-lives')
const types = require('./types')

const LIVES = 100
const PERSISTENT = { disk: false, durability: 'strict' }
const DISK = { disk: true, durability: 'strict' }
const SEED = 1

/** Number of a fault in src/engine/base/fault.h. */
function numberOf (fault) {
  const [, list] = /enum class Fault \{([^}]*)\}/.exec(fs.readFileSync(path.join(__dirname, '../../src/engine/base/fault.h'), 'utf8'))
  const names = list.replaceAll(/\/\/.*/g, '').split(',').map(name => name.trim())
  assert.ok(names.includes(fault), fault)
  return names.indexOf(fault)
}

// The C++ tests of power cuts plant these, too: so the simulation is the same here.
const faults = [
  ['a log record without its fence', 'kLogFence', PERSISTENT],
  ['a log record without its sync', 'kLogSync', DISK],
  ['a root before what it leads to', 'kCheckpointFence', PERSISTENT],
  ['a page that is never flushed', 'kCheckpointFlush', DISK],
  ['space that is used again too early', 'kReuse', PERSISTENT],
  ['a log that is out of date', 'kStaleLog', DISK],
  ['a checksum without the values', 'kValueChecksum', PERSISTENT],
  ['bytes that are changed before what they were is durable', 'kUndoFence', PERSISTENT],
  ['bytes of a transaction that are not durable before it is', 'kUndoFlush', DISK],
  ['a transaction that does not say that it is over', 'kUndoMarker', PERSISTENT],
  ['bytes saved by an earlier transaction', 'kUndoStale', DISK]
]

describe('a fault that is planted in the engine is found by power cuts', () => {
  before(function () {
    this.timeout(900_000)
    build()
  })

  for (const [name, fault, kind] of faults) {
    it(name, async () => {
      const { wrong } = await powerLives({ ...kind, types, seed: SEED, lives: LIVES, fault: numberOf(fault) })
      assert.notStrictEqual(wrong, undefined)
    }).timeout(900_000)
  }
})
