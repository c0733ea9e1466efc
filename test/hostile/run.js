'use strict'

// `npm run test:hostile`: each shape of attack at its full size, which takes minutes, with a line of
// figures for each. `--only NAME` (may be given again) runs one of them, `--short` the sizes of
// `npm test`, `--list` names them. Fails where a bound of one does not hold.

const { parseArgs } = require('node:util')
const { shapes } = require('./shapes')
const { inWords, runShape } = require('./support/run-shape')

const { values: options } = parseArgs({
  options: { only: { type: 'string', multiple: true }, short: { type: 'boolean' }, list: { type: 'boolean' } }
})

function chosen () {
  const unknown = (options.only ?? []).filter(name => !shapes.some(shape => shape.name === name))
  if (unknown.length > 0) throw new Error(`No such shape: ${unknown.join(', ')}. There are: ${shapes.map(({ name }) => name).join(', ')}`)
  return shapes.filter(({ name }) => options.only?.includes(name) ?? true)
}

async function main () {
  if (options.list) return console.log(shapes.map(({ name, what }) => `${name}: ${what}`).join('\n'))
  for (const shape of chosen()) await run(shape)
}

async function run (shape) {
  try {
    console.log(`${shape.name}: ${inWords(await runShape(shape, options.short ? 'short' : 'long'))}`)
  } catch (error) {
    process.exitCode = 1
    console.log(`${shape.name} FAILED: ${error.stack}`)
  }
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
