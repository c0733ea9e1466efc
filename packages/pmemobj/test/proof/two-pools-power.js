'use strict'

// Transfers between two pools whose power fails, in a process that the simulator is put before by LD_PRELOAD. Each cut has
// to leave the last transfer that was acknowledged, or the one under way, in both pools. Prints a line of JSON.
//
//   two-pools-power.js {"folder","disk","durability","seconds","seed"}

const assert = require('node:assert')
const { fork } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const simulator = require('./native/build/Release/simulator.node')
const { randomFrom } = require('./random')
const { LOG, openBoth, transfer } = require('./two-pools')

const SLOTS = 6
const { folder, disk, durability, seconds, seed } = JSON.parse(process.argv[2])
const random = randomFrom(seed)
const live = path.join(folder, 'live')
const image = path.join(folder, 'image-')
const size = { size: 8 * 2 ** 20, maxSize: 0 }
const counts = { transfers: 0, cuts: 0, between: 0 }
// A process of its own: libpmemobj opens no two pools of one id.
const { LD_PRELOAD, ...env } = process.env
const verifier = fork(require.resolve('./two-pools-verifier'), { env })

/** Looks at what the cuts of a transfer have left. */
async function judge (from, to) {
  const flat = simulator.take()
  for (let i = 0; i < flat.length; i += 5) {
    const [slot,,, mood, point] = flat.slice(i, i + 5)
    const order = random() < 0.5 ? ['a', 'b'] : ['b', 'a']
    verifier.send({ folder: image + slot, options: { ...size, createIfMissing: false }, order })
    const [{ problem, done, found }] = await once(verifier, 'message')
    const what = `cut ${point}, mood ${mood}, ${order}, seed ${seed}, ${from} to ${to}`
    assert.strictEqual(problem, undefined, what)
    assert.ok(done === from || done === to, `${what}: ${done}`)
    counts.cuts++
    if (found) counts.between++
    simulator.release(slot)
  }
}

async function main () {
  fs.mkdirSync(live)
  simulator.start(live, disk, image, SLOTS, seed)
  const pools = openBoth(live, { ...size, durability })
  for (const pool of pools) {
    pool.map(LOG)
    pool.flush()
  }
  const until = performance.now() + 1000 * seconds
  for (let done = 0; performance.now() < until || counts.cuts <= 10 || counts.between === 0;) {
    simulator.plan(2 + Math.floor(random() * 10), random() < 0.5 ? 0 : 50)
    let now = done
    try {
      now = transfer(pools, random)
      counts.transfers++
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
    }
    simulator.plan(0, 0)
    // One of a relaxed pool alone, or of nothing, would be durable later.
    await judge(done, now)
    done = now
  }
  for (const pool of pools) pool.close()
  simulator.stop()
  verifier.disconnect()
  console.log(JSON.stringify(counts))
}

main()
