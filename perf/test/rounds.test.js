'use strict'

const assert = require('node:assert/strict')
const { timeRounds } = require('../lib/search/rounds')

describe('rounds of what is timed', () => {
  it('repeat until they have taken their CPU time, after half as much that is not timed', async () => {
    const done = []
    let spent = 0
    const step = (name, micros) => () => {
      done.push(name)
      spent += micros
    }
    const { times, cpu } = await timeRounds([step('a', 10_000), step('b', 30_000)], { seconds: 0.1, cpu: () => spent })
    assert.deepEqual(done, ['a', 'b', 'a', 'b', ...times.map((_, i) => 'ab'[i % 2])])
    assert.equal(times.length, 6)
    assert.equal(cpu, 20)
  })

  it('wait for what takes its time', async () => {
    let running = 0
    let most = 0
    let spent = 0
    const act = async () => {
      most = Math.max(most, ++running)
      await new Promise(setImmediate)
      running--
      spent += 1000
    }
    await timeRounds([act, act], { seconds: 0.01, cpu: async () => spent })
    assert.equal(most, 1)
  })
})
