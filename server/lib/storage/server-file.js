'use strict'

const fs = require('node:fs')
const path = require('node:path')

/**
 * `server.json` of a data folder, `{ "pid", "urls" }`: the process that serves it and where it listens, so that
 * commands find it. It is there while the server runs; a crash leaves it behind.
 *
 * @param {string} folder
 */
function fileOf (folder) { return path.join(folder, 'server.json') }

/**
 * Tells commands where a server listens. One that cannot be told of runs all the same.
 *
 * @param {string | undefined} folder undefined: it has none
 * @param {string[]} urls
 */
function announceServer (folder, urls) {
  if (folder === undefined) return
  try {
    fs.rmSync(fileOf(folder), { force: true })
    fs.writeFileSync(fileOf(folder), `${JSON.stringify({ pid: process.pid, urls: urls.filter(url => /^https?:/.test(url)) })}\n`, { mode: 0o600, flag: 'wx' })
  } catch {}
}

/** @param {string | undefined} folder of a server that has ended */
function retractServer (folder) {
  if (folder === undefined || read(folder)?.pid !== process.pid) return
  try {
    fs.rmSync(fileOf(folder), { force: true })
  } catch {}
}

/**
 * @param {string} folder
 * @returns {string | undefined} the URL of the server that runs on it; undefined: none has left one, or its process is gone
 */
function announcedServer (folder) {
  const { pid, urls } = read(folder) ?? {}
  return Number.isSafeInteger(pid) && pid > 0 && isAlive(pid) && Array.isArray(urls) ? urls.find(url => typeof url === 'string' && URL.canParse(url)) : undefined
}

/** @param {string} folder @returns {any} */
function read (folder) {
  try {
    return JSON.parse(fs.readFileSync(fileOf(folder), 'utf8'))
  } catch {
    return undefined
  }
}

/** @param {number} pid */
function isAlive (pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

module.exports = { announceServer, announcedServer, retractServer }
