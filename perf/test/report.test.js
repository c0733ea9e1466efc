'use strict'

const assert = require('node:assert')
const { once } = require('node:events')
const { Worker } = require('node:worker_threads')
const { median } = require('../lib/report/statistics')
const { render } = require('../lib/report/report')
const { topCosts } = require('../lib/report/top-costs')
const { measure } = require('../lib/run/measure')
const { ThreadsMeter } = require('../lib/run/meters')

/** µs of CPU time. */
const SPENT = 100_000
const TICK = 10_000

const MACHINE = { cpu: 'A CPU', cores: 2, node: 'v20', platform: 'Linux', time: '2026-01-02T03:04:05Z', load: 0.5 }

function result (fields) {
  return { group: 'level', medium: 'tmpfs', trial: 'put', unit: 'put', durability: 'none', samples: [], wall: null, ...fields }
}

describe('median', () => {
  it('is the middle of an odd count, by number and not by text', () => {
    assert.strictEqual(median([100, 9, 20]), 20)
  })

  it('is the mean of the middle two of an even count', () => {
    assert.strictEqual(median([4, 1, 3, 2]), 2.5)
  })
})

describe('report', () => {
  it('says how many times as much a peer takes as the first of ours', () => {
    const results = [
      result({ driver: 'ours', ours: true, cpu: 2 }),
      result({ driver: 'peer', ours: false, cpu: 50 })
    ]
    const text = render({ machine: MACHINE, rounds: 3, results }, { markdown: true, clock: 'cpu' })
    assert.match(text, /\| put, a put \| 2\.0 µs \| 50 µs \(× 25\) \|/)
  })

  it('shows what failed, and why, in place of a figure', () => {
    const results = [
      result({ driver: 'ours', ours: true, cpu: 2 }),
      result({ driver: 'peer', ours: false, cpu: null, error: 'Error: no disk\n at x' })
    ]
    const text = render({ machine: MACHINE, rounds: 3, results }, { markdown: true, clock: 'cpu' })
    assert.match(text, /\| put, a put \| 2\.0 µs \| failed \|/)
    assert.match(text, /put × peer failed: Error: no disk$/m)
  })

  it('shows a figure that is no time as it is, and no ratio to nothing', () => {
    const results = [
      result({ trial: 'DRAM', unit: 'entry', driver: 'ours', ours: true, cpu: null, figure: 0.9 }),
      result({ trial: 'DRAM', unit: 'entry', driver: 'peer', ours: false, cpu: null, figure: 9 }),
      result({ trial: 'none', unit: 'entry', driver: 'ours', ours: true, cpu: null, figure: 0 }),
      result({ trial: 'none', unit: 'entry', driver: 'peer', ours: false, cpu: null, figure: 9 })
    ]
    const text = render({ machine: MACHINE, rounds: 3, results }, { markdown: true, clock: 'cpu' })
    assert.match(text, /\| DRAM, a entry \| 0\.90 \| 9\.00 \(× 10\) \|/)
    assert.match(text, /\| none, a entry \| 0\.00 \| 9\.00 \|/)
  })

  it('says how many times as fast as a yardstick the others are, with the geometric mean of what counts', () => {
    const row = (fields, yardstick, ours) => [
      result({ ...fields, driver: 'yardstick', ours: false, yardstick: true, cpu: yardstick }),
      result({ ...fields, driver: 'ours', ours: true, cpu: ours })
    ]
    const results = [
      ...row({ trial: 'get', unit: 'get', counts: true }, 80, 4),
      ...row({ trial: 'put', counts: true }, 50, 10),
      ...row({ trial: 'other', unit: 'other', counts: false }, 500, 5)
    ]
    const text = render({ machine: MACHINE, rounds: 3, results }, { markdown: true, clock: 'cpu' })
    assert.match(text, /\| get, a get \| 80 µs \| 4\.0 µs \(20 ×\) \|/)
    assert.match(text, /\| other, a other \| 500 µs \| 5\.0 µs \(100 ×\) \|/)
    assert.match(text, /\| geometric mean of 2 cases \| – \| 10 × \|/)
    assert.match(text, /^The least of ours: put, 5\.0 ×; get, 20 ×\.$/m)
  })

  it('takes another driver for the yardstick where asked to', () => {
    const results = [
      result({ driver: 'ours', ours: true, cpu: 2, counts: true }),
      result({ driver: 'peer', ours: false, cpu: 50, counts: true })
    ]
    const text = render({ machine: MACHINE, rounds: 3, results }, { markdown: true, clock: 'cpu', yardstick: /peer/ })
    assert.match(text, /how many × as fast as peer/)
    assert.match(text, /\| put, a put \| 2\.0 µs \(25 ×\) \| 50 µs \|/)
  })

  it('gives no mean to a driver that failed where it counts', () => {
    const results = [
      result({ driver: 'yardstick', ours: false, yardstick: true, cpu: 50, counts: true }),
      result({ driver: 'ours', ours: true, cpu: null, counts: true, error: 'Error: no disk' })
    ]
    const text = render({ machine: MACHINE, rounds: 3, results }, { markdown: true, clock: 'cpu' })
    assert.match(text, /\| geometric mean of 1 cases \| – \| – \|/)
  })

  it('says which goals are met and which are missed, by how much', () => {
    const goal = { most: 2, times: 5 }
    const results = [
      result({ driver: 'ours', ours: true, cpu: 1.5, durability: 'a flush', goal }),
      result({ driver: 'slow', ours: false, cpu: 15, durability: 'a sync' }),
      result({ driver: 'fast', ours: false, cpu: 6, durability: 'a sync' }),
      result({ driver: 'forgetful', ours: false, cpu: 0.1, durability: 'none' })
    ]
    const text = render({ machine: MACHINE, rounds: 3, results }, { markdown: true, clock: 'cpu' })
    assert.match(text, /^met {4}put: 1\.5 µs, of 2\.0 µs at most$/m)
    assert.match(text, /^met {4}put: 10 times as fast as slow, of 5$/m)
    assert.match(text, /^MISSED put: 4\.0 times as fast as fast, of 5$/m)
    assert.doesNotMatch(text, /as fast as forgetful/)
  })

  it('asks for times where persistent memory is, and not of a disk', () => {
    const results = [result({ driver: 'ours', ours: true, cpu: 500, medium: 'disk', goal: { most: 2 } })]
    assert.doesNotMatch(render({ machine: MACHINE, rounds: 3, results }, { markdown: true, clock: 'cpu' }), /Goals/)
  })

  it('compares with the one peer that a goal names', () => {
    const goal = { times: 1, than: 'named' }
    const results = [
      result({ driver: 'ours', ours: true, cpu: 2, goal }),
      result({ driver: 'named', ours: false, cpu: 1 }),
      result({ driver: 'other', ours: false, cpu: 1 })
    ]
    const text = render({ machine: MACHINE, rounds: 3, results }, { markdown: true, clock: 'cpu' })
    assert.match(text, /^MISSED put: 0\.50 times as fast as named, of 1$/m)
    assert.doesNotMatch(text, /as fast as other/)
  })

  describe('the table of goals', () => {
    const table = results => render({ machine: MACHINE, rounds: 3, results }, { markdown: true, clock: 'cpu' })
    const ours = fields => result({ group: 'http', driver: 'ours', ours: true, ...fields })

    it('has a row for each trial, with what a CouchDB took in an earlier run', () => {
      const text = table([
        ours({ trial: 'view', unit: 'request', cpu: 80, goal: { most: 90, couchdb: 1600 } }),
        ours({ trial: 'find', unit: 'request', cpu: 200, goal: { most: 90, couchdb: NaN } })
      ])
      assert.match(text, /\| view, a request \| 80 µs \| 1\.6 ms \* \| × 20 \| 90 µs \| met \|/)
      assert.match(text, /\| find, a request \| 200 µs \| – \| – \| 90 µs \| MISSED \|/)
      assert.match(text, /^\* CouchDB 3\.5\.2/m)
      assert.doesNotMatch(text, /^Goals:$/m)
    })

    it('takes the figure of a CouchDB of the same run', () => {
      const text = table([
        ours({ trial: 'view', unit: 'request', cpu: 80, goal: { most: 90, couchdb: 1600 } }),
        result({ group: 'http', trial: 'view', driver: 'CouchDB', ours: false, cpu: 800 })
      ])
      assert.match(text, /\| view, a request \| 80 µs \| 800 µs \| × 10 \| 90 µs \| met \|/)
      assert.doesNotMatch(text, /^\*/m)
    })

    describe('beside a bare node:http', () => {
      const bare = (trial, cpu) => result({ group: 'http', trial, driver: 'bare', ours: false, bare: true, cpu })
      const get = cpu => ours({ trial: 'get', unit: 'request', cpu, goal: { most: 24, couchdb: 693, reference: 20 } })
      const put = ours({ trial: 'put', unit: 'request', cpu: 170, goal: { most: 90, couchdb: 4167 } })
      const row = (trial, cpu) => [ours({ trial, unit: 'request', cpu: 50, goal: { most: 90, couchdb: 1068, reference: 20 } }), bare(trial, cpu)]
      const view = ours({ trial: 'build', unit: 'row', cpu: 9, goal: { most: 10, couchdb: 111 } })

      it('says what that takes, and what the machine makes of a goal, after the verdict by the goal itself', () => {
        const text = table([get(30), bare('get', 30), put, bare('put', 60), view])
        assert.match(text, /\| get, a request \|.* 24 µs \| MISSED \| 30 µs \| 36 µs \| met \|$/m)
        assert.match(text, /\| put, a request \|.* 90 µs \| MISSED \| 60 µs \| 135 µs \| MISSED \|$/m)
        assert.match(text, /\| build, a row \|.* 10 µs \| met \| – \| – \| – \|$/m)
        assert.match(text, /took 20 µs for "get".* × 1\.50 /)
      })

      it('takes the middle of what several requests tell of the machine', () => {
        const text = table([get(30), bare('get', 30), ...row('key', 80), ...row('text', 28), put, bare('put', 60)])
        assert.match(text, /\| put, a request \|.* 90 µs \| MISSED \| 60 µs \| 135 µs \| MISSED \|$/m)
        assert.match(text, /3 such trials/)
      })

      it('makes nothing of a goal where the request that tells of the machine is not measured', () => {
        const text = table([put, bare('put', 60)])
        assert.match(text, /\| put, a request \|.* 90 µs \| MISSED \| 60 µs \| – \| – \|$/m)
        assert.doesNotMatch(text, /another machine/)
      })

      it('has no columns for it where none was measured', () => {
        assert.match(table([get(30)]), /24 µs \| MISSED \|$/m)
      })
    })

    it('asks nothing of a disk', () => {
      assert.doesNotMatch(table([ours({ trial: 'put', cpu: 500, medium: 'disk', goal: { most: 90, couchdb: 1600 } })]), /MISSED/)
    })
  })

  it('keeps the media apart', () => {
    const results = [
      result({ driver: 'ours', ours: true, cpu: 2 }),
      result({ driver: 'ours', ours: true, cpu: 4000, medium: 'disk' })
    ]
    const text = render({ machine: MACHINE, rounds: 3, results }, { markdown: true, clock: 'cpu' })
    assert.match(text, /on tmpfs[^]*2\.0 µs[^]*on an ordinary disk[^]*4\.0 ms/)
  })
})

describe('top costs', () => {
  it('leaves idle time out and sums by function and by part', () => {
    const frame = (functionName, url = '') => ({ functionName, url, lineNumber: 4 })
    const { busy, functions, parts } = topCosts({
      nodes: [
        { id: 1, callFrame: frame('(idle)') },
        { id: 2, callFrame: frame('read', 'node:fs') },
        { id: 3, callFrame: frame('merge', `file://${require.resolve('../package.json')}`), children: [4] },
        { id: 4, callFrame: frame('') }
      ],
      samples: [1, 2, 3, 3, 4],
      timeDeltas: [1000, 5, 20, 10, 5]
    })
    assert.strictEqual(busy, 40)
    assert.deepStrictEqual(functions[0], { name: 'perf/package.json:5 merge', time: 30, share: 0.75 })
    assert.strictEqual(functions[2].name, 'native, from perf/package.json:5 merge')
    assert.deepStrictEqual(parts[1], { name: 'node', time: 5, share: 0.125 })
  })
})

describe('measuring', () => {
  it('tells the CPU time of all threads of a process from outside, and forgets none that has ended', async () => {
    const meter = new ThreadsMeter(process.pid)
    const before = meter.cpu()
    const worker = new Worker('require("node:worker_threads").parentPort.once("message", () => {})', { eval: true })
    await once(worker, 'online')
    const during = meter.cpu()
    worker.postMessage('end')
    await once(worker, 'exit')
    for (const until = process.cpuUsage().user + SPENT; process.cpuUsage().user < until;);
    // The kernel may be a tick behind.
    assert(during > before)
    assert(meter.cpu() >= during + SPENT - TICK)
  })

  it('charges the timed units alone, and goes on where the warm-up ended', async () => {
    const starts = []
    let spent = 0
    const meter = { cpu: async () => spent, collect: async () => {} }
    const trial = {
      step: 10,
      most: 40,
      async run (state, start) {
        starts.push(start)
        spent += 10 * 3
      }
    }
    const { sample } = await measure(trial, {}, meter, { seconds: 1, profile: false })
    assert.deepStrictEqual(starts, [0, 10, 20, 30])
    assert.strictEqual(sample.units, 20)
    assert.strictEqual(sample.cpu, 3)
  })

  it('collects garbage before the warm-up, which compiled code would not survive', async () => {
    const order = []
    const meter = { cpu: async () => order.length, collect: async () => order.push('collect') }
    await measure({ step: 1, most: 2, run: async () => order.push('run') }, {}, meter, { seconds: 1, profile: false })
    assert.deepStrictEqual(order, ['collect', 'run', 'run'])
  })

  it('does not charge what a step needs made ready', async () => {
    const made = []
    let spent = 0
    const meter = { cpu: async () => spent, collect: async () => {} }
    const trial = {
      step: 1,
      most: 4,
      async ready (state, start) {
        made.push(start)
        spent += 1000
      },
      async run () { spent += 7 }
    }
    const { sample } = await measure(trial, {}, meter, { seconds: 1, profile: false })
    assert.deepStrictEqual(made, [0, 1, 2, 3])
    assert.deepStrictEqual([sample.units, sample.cpu], [2, 7])
  })
})
