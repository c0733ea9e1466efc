'use strict'

const fs = require('node:fs')
const path = require('node:path')
const catalogue = require('./catalogue')
const { readNumber, readOptions, readPattern, refuse } = require('./command-line')
const { Scratch } = require('./scratch')
const { runRounds } = require('./rounds')
const { describeMachine } = require('../report/machine')
const report = require('../report/report')

const USAGE = `Usage: npm run perf -- [options]

  --only PATTERN     only pairs whose "group/trial × driver (medium)" matches this regular expression
  --media LIST       of tmpfs and disk, by default both
  --rounds N         rounds that alternate between the drivers (default 3)
  --seconds N        CPU time that a pair is timed for in a round, after twice as long a warm-up (default 2)
  --size N           entries, or documents, in the database (default: each trial's own)
  --tmpfs FOLDER     stands in for persistent memory (default /dev/shm)
  --disk FOLDER      on an ordinary disk (default: the system's temporary folder)
  --json FILE        where the figures go (default perf/results/TIME.json)
  --from FILE        print the tables of an earlier run's figures, measure nothing
  --ratio PATTERN    say how many times as fast as this driver the others are (default: each group's own)
  --markdown         print the tables as Markdown
  --wall             print wall-clock time instead of CPU time
  --profile          record CPU profiles beside the figures, for perf/bin/costs.js
  --goals            only what is in the table of goals, on a pool, CouchDB and a bare node:http; with --quick in some minutes
  --quick            one short round: --rounds 1 --seconds 0.5
  --list             print the pairs, measure nothing
  --help`

const OPTIONS = {
  only: { type: 'string', default: '' },
  media: { type: 'string', default: 'tmpfs,disk' },
  rounds: { type: 'string' },
  seconds: { type: 'string' },
  size: { type: 'string' },
  tmpfs: { type: 'string', default: '/dev/shm' },
  disk: { type: 'string', default: require('node:os').tmpdir() },
  json: { type: 'string' },
  from: { type: 'string' },
  ratio: { type: 'string' },
  markdown: { type: 'boolean', default: false },
  wall: { type: 'boolean', default: false },
  profile: { type: 'boolean', default: false },
  goals: { type: 'boolean', default: false },
  quick: { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false }
}

/** Rounds, and seconds of each that are timed: what V8 and the machine's moods need. */
const FULL = { rounds: '3', seconds: '2' }
const QUICK = { rounds: '1', seconds: '0.5' }

const MEDIA = ['tmpfs', 'disk']

/** @param {string[]} args of the command line */
async function main (args) {
  const parsed = readOptions({ args, options: OPTIONS }).values
  const values = { ...(parsed.quick ? QUICK : FULL), ...parsed }
  if (values.help) return console.log(USAGE)
  if (values.from) return print(JSON.parse(fs.readFileSync(values.from, 'utf8')), values)

  const pairs = choosePairs(values)
  if (values.list) return console.log(pairs.map((pair) => pair.title).join('\n'))

  const counts = {
    rounds: count(values.rounds, 'rounds'),
    seconds: count(values.seconds, 'seconds'),
    size: values.size === undefined ? undefined : count(values.size, 'size')
  }
  for (const line of catalogue.missing()) console.error(line)
  const file = values.json ?? path.join(__dirname, '../../results', `${timestamp()}.json`)
  fs.mkdirSync(path.dirname(file), { recursive: true })
  const scratch = new Scratch({ tmpfs: values.tmpfs, disk: values.disk })
  try {
    const results = await runRounds(pairs, {
      ...counts,
      scratch,
      profiles: values.profile ? file.replace(/\.json$/, '') : undefined,
      log: (line) => console.error(line)
    })
    const figures = { machine: describeMachine(), rounds: counts.rounds, results }
    fs.writeFileSync(file, JSON.stringify(figures, null, 1) + '\n')
    print(figures, values)
    console.error(`\nFigures: ${file}`)
    if (results.some((result) => result.error)) process.exitCode = 1
  } finally {
    scratch.remove()
  }
}

function choosePairs ({ only, media: list, goals }) {
  const media = list.split(',')
  for (const medium of media) if (!MEDIA.includes(medium)) refuse(`--media takes ${MEDIA.join(' and ')}, not ${medium}`)
  const pairs = catalogue.pairs({ only: readPattern(only, '--only'), media, goals })
  if (pairs.length > 0) return pairs
  const trials = new Set(catalogue.pairs({ only: /(?:)/, media, goals }).map(({ trial }) => trial))
  return refuse(`Nothing matches ${only} (--only). --list names all pairs; their trials are ${[...trials].join(', ')}`)
}

function print (figures, { markdown, wall, ratio }) {
  const yardstick = ratio === undefined ? undefined : readPattern(ratio, '--ratio')
  console.log(report.render(figures, { markdown, clock: wall ? 'wall' : 'cpu', yardstick }))
}

function count (text, name) {
  return readNumber(text, `--${name}`) || refuse(`--${name} takes a number above 0, not ${text}`)
}

function timestamp () {
  return new Date().toISOString().replace(/[:.]/g, '-')
}

module.exports = { main }
