'use strict'

// Runs lives of pools whose power fails, for some seconds, in a process that the simulator is put
// before by LD_PRELOAD. Prints a line of JSON: what it did, and what is wrong.
//
//   power-process.js {"seconds","seed","disk","durability","types","fault","lives"}

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const fc = require('fast-check')
const { usePlantedFault } = require('./planted')
usePlantedFault()
const { PowerLife } = require('./power-life')
const { powerPrograms } = require('./steps')
const { Verifiers } = require('./verifiers')

const options = JSON.parse(process.argv[2])
const kind = { disk: options.disk, durability: options.durability }
// With one seed; those after it begin with small programs, as fast-check does.
const LIVES = 10
const plans = fc.noBias(fc.record({
  fences: fc.constantFrom(1, 2, 3, 5),
  flushes: fc.constantFrom(0, 5, 30),
  seed: fc.nat(),
  creation: fc.nat(9).map(number => number === 0)
}))

async function main () {
  const verifiers = new Verifiers({ disk: options.disk, fault: options.fault })
  await verifiers.start()
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'power-'))
  const done = { programs: 0, steps: 0, cuts: 0, crashes: 0 }
  const property = fc.asyncProperty(plans, powerPrograms({ types: options.types }), async (plan, program) => {
    const life = new PowerLife(path.join(folder, String(done.programs++)), kind, plan, verifiers)
    await life.run(program)
    for (const count of ['steps', 'cuts', 'crashes']) done[count] += life[count]
    if (life.wrong !== undefined) throw new Error(life.wrong)
  })
  const until = performance.now() + 1000 * (options.seconds ?? 1e6)
  let wrong
  // Some, however long they take.
  const goesOn = () => performance.now() < until || done.programs < 2 || done.cuts <= 10
  for (let seed = options.seed; wrong === undefined && goesOn() && done.programs < (options.lives ?? 1e9); seed++) {
    const result = await fc.check(property, { seed, numRuns: LIVES, endOnFailure: options.fault !== undefined })
    if (result.failed) wrong = `${result.errorInstance?.message}\nseed ${seed}, path ${result.counterexamplePath}, ${fc.stringify(result.counterexample)}`
  }
  await verifiers.stop()
  fs.rmSync(folder, { recursive: true, force: true })
  console.log(JSON.stringify({ ...done, wrong }))
}

main()
