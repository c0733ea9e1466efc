'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { formatTable } = require('../report/tables')

/** Figures of servers that share an engine: perf/bin/cluster.js keeps them. */
const FILE = path.join(__dirname, '../../results/published/cluster.json')

/** Writes a second, if a million browsers write once in ten minutes each. */
const WRITES = 1_000_000 / 600

/** Bytes that an idle feed takes of its server: perf/bin/feeds.js. */
const FEED = 10 * 1024

/** Returns the section of docs/scale-out.md that is made of the figures. */
function renderCluster () {
  const figures = JSON.parse(fs.readFileSync(FILE, 'utf8'))
  return [renderRows(figures), renderPassing(figures), renderMillion(figures)].join('\n\n')
}

function renderRows ({ recorded, machine, seconds, rows, bare }) {
  const about = `Measured on ${recorded} on ${machine.cores} cores that servers, PostgreSQL 15, which syncs each commit, and clients share (\`node perf/bin/cluster.js\`, ${seconds} seconds each). In brackets µs of CPU for each: of all servers, and of PostgreSQL. 4 clients write 1000 documents of 200 bytes at a time, 50 put or get single ones, each by one of the servers in turn.`
  const head = ['servers', 'databases', 'shards of each', 'documents/s, 1000 at a time', 'puts/s', 'gets/s']
  const body = rows.map(({ servers, databases, q, bulks, puts, gets }) => [servers, databases, q, cellOf(bulks), cellOf(puts), cellOf(gets)].map(String))
  const [{ rate, node, engine, alone }] = bare
  return `${about}\n\n${table(head, body)}\n\nA bare query of \`pg\` with 10 connections, by the clients' own process: ${count(rate)} a second (${whole(node)} + ${whole(engine)} µs); one after another ${count(alone)}.`
}

function renderPassing ({ passing }) {
  const head = ['one request', 'owner, µs', 'PostgreSQL, µs', 'by another server: that, µs', 'owner, µs', 'PostgreSQL, µs', 'one client: by the owner', 'by another server']
  const body = passing.map(({ what, owner, other }) => [what, whole(owner.own), whole(owner.engine), whole(other.own), whole(Math.max(...other.others)), whole(other.engine), `${count(owner.alone)}/s`, `${count(other.alone)}/s`])
  return `Passing a request on, with 50 clients at one server. A document is read where it is asked for, and \`GET /db\` is answered from the owner's memory, so that little but the passing is left of it:\n\n${table(head, body)}`
}

/** A database for each browser, or for few of them: the row with most databases in one piece. */
function renderMillion ({ rows }) {
  const most = rows.filter(({ q }) => q === 1).at(-1)
  const own = sum(most.puts.servers)
  const cores = (own + most.puts.engine) * WRITES / 1e6
  const single = rows.find(({ servers, databases, q }) => servers === 1 && databases === 1 && q === 1)
  return `### To a million browsers

A browser that is in sync holds one live feed and now and then writes. An idle feed takes up to 10 KiB of its server
(\`node perf/bin/feeds.js\`, at the owner of the database; at another server it was not measured), without the kernel's
part, so a million are ${(FEED * 1e6 / 1024 ** 3).toFixed(0)} GiB, spread over as many servers as their sockets need: no server was tried with more than
10,000. If each browser writes once in ten minutes, that is ${count(WRITES)} writes a second in all. At ${most.servers} servers and
${most.databases} databases, a write took ${whole(own)} µs of the servers and ${whole(most.puts.engine)} of PostgreSQL: ${cores.toFixed(1)} cores, without what the feeds
are told. One owner of one database took ${count(single.puts.rate)} a second here. A document of 200 bytes takes
${count(Math.max(...rows.map(({ bytes }) => bytes)))} bytes of the engine with its index, at most: ${(Math.max(...rows.map(({ bytes }) => bytes)) * WRITES * 86_400 / 1024 ** 3).toFixed(0)} GiB a day, before compaction. Feeds of one database are the
other limit: each change goes to all who follow it, so a million followers of one database are told ${count(WRITES)} times a
million changes a second, which nothing here does; browsers follow databases, or filters, of their own.`
}

function cellOf ({ rate, servers, engine }) { return `${count(rate)} (${whole(sum(servers))} + ${whole(engine)})` }

function table (head, body) { return formatTable([head, ...body], { markdown: true }) }

function sum (numbers) { return numbers.reduce((all, each) => all + each, 0) }

function whole (number) { return number < 10 ? number.toFixed(1) : number.toFixed(0) }

/** Two digits count, with commas. @param {number} number */
function count (number) { return Number(number.toPrecision(2)).toLocaleString('en-US') }

module.exports = { renderCluster }
