#!/usr/bin/env node
'use strict'

// How much memory and CPU time a long attachment takes on its way in and out: `node
// perf/bin/attachments.js [--size MiB] [--only TEXT]`. On each storage, for the document store,
// PouchDB's face and the server, which is another process than its client. It is a script of its
// own: what it says is a most of memory and has no peer.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { done, replications, steps } = require('../lib/attachments/http-steps')
const { SubjectProcess, peakOf } = require('../lib/attachments/subject-process')
const { choose, readOptions } = require('../lib/run/command-line')

const { values } = readOptions({ options: { size: { type: 'string', default: '1024' }, only: { type: 'string', default: '' } } })
const MIB = 2 ** 20
const bytes = Number(values.size) * MIB

/** MiB of memory that nothing may take above what it had before. */
const LIMIT = 64

const storages = { pmem: '/dev/shm', 'classic-level': os.tmpdir() }

function report (storage, face, step, { extra, cpu, seconds }) {
  console.log(`${storage.padEnd(14)} ${face.padEnd(15)} ${step.padEnd(22)} ${extra.toFixed(1).padStart(7)} MiB  ${cpu.toFixed(2).padStart(6)} s of CPU  ${seconds.toFixed(1).padStart(6)} s`)
  if (extra > LIMIT) process.exitCode = 1
}

async function withSubject (face, storage, use) {
  const folder = fs.mkdtempSync(path.join(storages[storage], 'potoroo-attachments-'))
  const subject = new SubjectProcess()
  try {
    const { url } = await subject.do('start', { face, storage, folder })
    await use(subject, url)
    await subject.close()
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

async function measureInProcess (face, storage) {
  await withSubject(face, storage, async (subject) => {
    for (const step of ['in', 'out', 'drop']) await subject.do(step, { bytes: MIB, id: 'small' })
    for (const step of ['in', 'out', 'drop']) {
      await subject.do('collect')
      report(storage, face, step, await peakOf(subject.pid, () => subject.do(step, { bytes, id: 'long' })))
    }
  })
}

/** Each step does the same with a little first, in a database that is then removed. */
async function measureSteps (storage, subject, url, chosen, other) {
  for (const [name, step] of Object.entries(chosen)) {
    await subject.do('collect')
    report(storage, 'server', name, await peakOf(subject.pid, () => step(url, bytes, other)))
  }
}

async function warmUp (url) {
  await done(url, 'PUT', '/db')
  for (const step of Object.values(steps)) await step(url, MIB)
  await done(url, 'DELETE', '/db')
  await done(url, 'PUT', '/db')
}

async function measureServer (storage) {
  await withSubject('server', storage, async (subject, url) => {
    await warmUp(url)
    await measureSteps(storage, subject, url, steps)
    await withSubject('server', storage, (other, otherUrl) => measureSteps(storage, other, otherUrl, { 'replicate: pull': replications['replicate: pull'] }, url))
    await withSubject('server', storage, (other, otherUrl) => measureSteps(storage, subject, url, { 'replicate: push': replications['replicate: push'] }, otherUrl))
  })
}

async function main () {
  const all = Object.keys(storages).flatMap(storage => ['document store', 'PouchDB', 'server'].map(face => ({ storage, face })))
  for (const { storage, face } of choose(all, values.only, { nameOf: ({ storage, face }) => `${storage} ${face}`, isPattern: false })) {
    await (face === 'server' ? measureServer(storage) : measureInProcess(face, storage))
  }
}

main()
