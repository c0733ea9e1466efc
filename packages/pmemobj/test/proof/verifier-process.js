'use strict'

// Opens what a power cut left, and says what it holds. See verifiers.js.

const { usePlantedFault } = require('./planted')
usePlantedFault()
const { isDeepStrictEqual } = require('node:util')
const { check } = require('../..')
const { recordsFor, recordsIn } = require('./records')
const { PoolWorld } = require('./worlds')

const NONE = ['PMEMOBJ_NOT_FOUND', 'PMEMOBJ_NOT_A_POOL']

/** @returns {Promise<string | undefined>} */
async function problemOf (path, mayBeNone) {
  try {
    const { sound, problems, problemCount } = await check(path)
    // The commit that was under way may have torn its root slot: the checker cannot tell that it was
    // not acknowledged. The state that the other slot leads to is compared.
    if (sound || (problemCount === 1 && problems[0].kind === 'root')) return undefined
    return `${problems[0].kind} at ${problems[0].offset}: ${problems[0].message}`
  } catch (error) {
    return mayBeNone && NONE.includes(error.code) ? undefined : `check: ${error.message}`
  }
}

/**
 * Checks that what is there still works: it is the same when it is opened again, a collection leaves what the root
 * leads to and no more, and it takes a write.
 */
function goOn (world, text) {
  world.reopen()
  world.collect()
  const [found, needed] = [recordsIn(world.pool), recordsFor(world.root)]
  if (!isDeepStrictEqual(found, needed)) return `a collection leaves ${JSON.stringify(found)} and not ${JSON.stringify(needed)}`
  if (world.describe() !== text) return 'opened again, and collected, it holds something else'
  world.openMap('afterwards')
  world.batch([{ name: 'afterwards', key: 'k', value: 'v' }])
  world.dropMap('afterwards')
  world.reopen()
  return world.describe() === text ? undefined : 'written to and opened again it holds something else'
}

async function verify (request) {
  const { path, mayBeNone, unknown } = request
  const problem = request.check ? await problemOf(path, mayBeNone) : undefined
  if (problem !== undefined) return { wrong: `check before it is opened: ${problem}` }
  let world
  try {
    world = new PoolWorld(path, { createIfMissing: false })
    const text = world.describe({ unknown })
    const wrong = request.goOn ? goOn(world, world.describe()) : undefined
    world.close()
    const after = request.check ? await problemOf(path, false) : undefined
    if (after !== undefined) return { wrong: `check: ${after}` }
    return wrong === undefined ? { text } : { wrong }
  } catch (error) {
    world?.close()
    return mayBeNone && NONE.includes(error.code) ? { none: true } : { wrong: error.stack }
  }
}

process.on('message', async request => process.send(await verify(request)))
process.on('disconnect', () => process.exit())
process.send('ready')
