'use strict'

const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { look } = require('./look')
const { run } = require('./mounts')
const { printTable } = require('../table')
const { runTrial } = require('./trial')

/** @type {Array<{ subject: string, type: 'ext4' | 'xfs', seconds: number, share: number }>} share of all images */
const TRIALS = [
  { subject: 'pmem', type: 'ext4', seconds: 20, share: 0.2 },
  { subject: 'relaxed', type: 'ext4', seconds: 20, share: 0.11 },
  { subject: 'encrypted', type: 'ext4', seconds: 15, share: 0.09 },
  { subject: 'leveldb', type: 'ext4', seconds: 15, share: 0.08 },
  { subject: 'server', type: 'ext4', seconds: 40, share: 0.2 },
  { subject: 'server-leveldb', type: 'ext4', seconds: 25, share: 0.07 },
  { subject: 'pmem', type: 'xfs', seconds: 15, share: 0.1 },
  { subject: 'relaxed', type: 'xfs', seconds: 15, share: 0.05 },
  { subject: 'leveldb', type: 'xfs', seconds: 10, share: 0.04 },
  { subject: 'server', type: 'xfs', seconds: 15, share: 0.06 }
]

/** Faults that have to be found: one in a number of flushes says that it is done, and is not. */
const PLANTED = [
  { subject: 'pmem', every: 1 },
  { subject: 'pmem', every: 3 },
  { subject: 'relaxed', every: 1 },
  { subject: 'leveldb', every: 1 },
  { subject: 'leveldb', every: 3 }
]
const PLANTED_IMAGES = 60

async function main () {
  const [part, settings, ...words] = process.argv.slice(2)
  const options = JSON.parse(settings)
  await makeScratch(options.scratch)
  const folder = path.join(options.scratch, 'work')
  if (part === 'look') return look(path.resolve(words[0]), folder)
  const planted = await findPlanted(folder, options)
  const results = await tryAll(folder, options)
  say(results, planted, options)
}

/** A file system in memory whose files share extents, so that an image costs what is written to it. */
async function makeScratch (scratch) {
  await run('mount', ['-t', 'tmpfs', '-o', 'size=8g', 'tmpfs', scratch])
  const image = path.join(scratch, 'image')
  fs.writeFileSync(image, '')
  fs.truncateSync(image, 7 * 2 ** 30)
  await run('mkfs.xfs', ['-q', '-m', 'reflink=1', image])
  fs.mkdirSync(path.join(scratch, 'work'))
  await run('mount', ['-o', 'loop', image, path.join(scratch, 'work')])
}

async function tryAll (folder, { only, images, seed, keep }) {
  const results = []
  for (const { share, ...trial } of TRIALS) {
    const name = `${trial.subject} on ${trial.type}`
    if (!name.includes(only)) continue
    process.stdout.write(`${name} … `)
    const result = await runTrial({ ...trial, seed, images: Math.ceil(images * share) }, path.join(folder, 'trial'), keep)
    console.log(`${result.images} images, ${result.violations.length} violations`)
    results.push({ name, ...result })
  }
  return results
}

/** Tries the faults that are planted with a library that comes before libc. */
async function findPlanted (folder, { only, seed }) {
  const library = path.join(folder, 'drop-flushes.so')
  execFileSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, path.join(__dirname, 'drop-flushes.c'), '-ldl'])
  const results = []
  for (const { subject, every } of PLANTED) {
    const name = `${subject}: ${every === 1 ? 'no flush is done' : `one flush in ${every} is not done`}`
    if (!subject.includes(only)) continue
    const env = { LD_PRELOAD: library, DROP_EVERY: String(every) }
    const trial = /** @type {const} */ ({ subject, type: 'ext4', seed, seconds: 6, images: PLANTED_IMAGES, planted: true, env })
    const { images, violations } = await runTrial(trial, path.join(folder, 'trial'), '')
    console.log(`planted in ${name}: ${violations.length > 0 ? 'found' : 'NOT FOUND'}, ${violations.length} of ${images} images`)
    results.push({ name, images, found: violations.length })
  }
  return results
}

function say (results, planted, { figures }) {
  const columns = { images: 'images', writes: 'writes', flushes: 'flushes', steps: 'steps found', lost: 'lost, ms', violations: 'violations' }
  const rows = results.map(result => [result.name, ...Object.keys(columns).map(key => String(key === 'violations' ? result.violations.length : result[key]))])
  const total = key => results.reduce((sum, result) => sum + result[key], 0)
  const violations = results.reduce((sum, result) => sum + result.violations.length, 0)
  const text = [
    ...printTable(['', ...Object.values(columns)], rows), '',
    ...printTable(['planted', 'images', 'reported'], planted.map(({ name, images, found }) => [name, String(images), String(found)])), '',
    `${total('images')} images, ${violations} violations; ${planted.filter(({ found }) => found > 0).length} of ${planted.length} planted faults found.`
  ].join('\n')
  console.log(`\n${text}`)
  if (figures !== '') fs.writeFileSync(figures, `${text}\n`)
  if (violations > 0 || planted.some(({ found }) => found === 0)) process.exitCode = 1
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
