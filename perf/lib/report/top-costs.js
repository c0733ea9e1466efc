'use strict'

const path = require('node:path')

const ROOT = path.join(__dirname, '../../..') + path.sep

/**
 * Sums a CPU profile up by function and by part of the house.
 *
 * @param {{ nodes: any[], samples: number[], timeDeltas: number[] }} profile of V8's inspector
 * @returns {{ busy: number, functions: Cost[], parts: Cost[] }} busy: µs that were not idle;
 *   costs are self time, the highest first
 * @typedef {{ name: string, time: number, share: number }} Cost time in µs
 */
function topCosts ({ nodes, samples, timeDeltas }) {
  const frames = framesById(nodes)
  const functions = new Map()
  const parts = new Map()
  let busy = 0
  for (const [index, id] of samples.entries()) {
    const { frame, caller } = frames.get(id)
    if (!isWork(frame)) continue
    const time = timeDeltas[index]
    busy += time
    add(functions, nameOf(frame, caller), time)
    add(parts, partOf(frame), time)
  }
  return { busy, functions: ranked(functions, busy), parts: ranked(parts, busy) }
}

// The inspector's own start and stop are in its profiles, as a native function.
function isWork ({ functionName, url }) {
  return url !== '' || (functionName !== '(idle)' && functionName !== 'dispatch')
}

function add (sums, name, time) {
  sums.set(name, (sums.get(name) ?? 0) + time)
}

function ranked (sums, busy) {
  return [...sums].map(([name, time]) => ({ name, time, share: time / busy })).sort((a, b) => b.time - a.time)
}

function framesById (nodes) {
  const frames = new Map(nodes.map((node) => [node.id, { frame: node.callFrame, caller: undefined }]))
  for (const { callFrame, children = [] } of nodes) {
    for (const id of children) frames.get(id).caller = callFrame
  }
  return frames
}

// The functions of an addon have no names: who called says which they are.
function nameOf ({ functionName, url, lineNumber }, caller) {
  if (!functionName && !url && caller?.url) return `native, from ${nameOf(caller)}`
  const name = functionName || '(anonymous)'
  return url ? `${shortPath(url)}:${lineNumber + 1} ${name}` : name
}

/** The package that a function belongs to; what has no file is V8's or native. */
function partOf ({ functionName, url }) {
  if (url === '') return functionName.startsWith('(') ? functionName : 'native'
  if (url.startsWith('node:')) return 'node'
  const parts = shortPath(url).split('/')
  const depth = parts[0] === 'node_modules' && parts[1].startsWith('@') ? 3 : 2
  return parts.slice(0, parts[0] === 'server' ? 1 : depth).join('/')
}

function shortPath (url) {
  return url.replace('file://', '').replace(ROOT, '')
}

module.exports = { topCosts }
