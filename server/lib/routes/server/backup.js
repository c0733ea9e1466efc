'use strict'

const fs = require('node:fs')
const { encryptBackup } = require('@potoroo/storage')
const { writeBackup } = require('../../backup/write')
const { Ini, damageOfBytes } = require('../../config/ini')
const { readBanner } = require('../../service/banner')
const { ResponseWriter } = require('../../http/response-writer')

/** @typedef {import('../../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */

/**
 * `GET /_backup`, of this server alone: all databases and the configuration at one moment, as
 * `potoroo backup` keeps them and `potoroo restore` reads them. Secrets and hashes are among it.
 * If the databases are encrypted, it is encrypted with their key.
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
async function backup (req, res) {
  const { config, storage } = req.service
  const out = new ResponseWriter(res, { 'Content-Type': 'application/octet-stream', 'Cache-Control': 'no-store' })
  const chunks = writeBackup(storage.level, { version: readBanner().version, config: textOf(config) })
  for await (const bytes of storage.key === undefined ? chunks : encryptBackup(chunks, storage.key)) {
    if (out.closed || req.service.closing.aborted) break
    await out.write(bytes)
  }
  if (req.service.closing.aborted) res.destroy()
  else out.end()
}

/**
 * The text of the ini file. If somebody has taken that away or damaged it, it is made again: administrators are a part of
 * a backup, and a backup with a damaged configuration cannot be restored.
 *
 * @param {import('../../config/config').Config} config
 */
function textOf (config) {
  if (config.file === null) return undefined
  const bytes = fs.existsSync(config.file) ? fs.readFileSync(config.file) : Buffer.alloc(0)
  if (damageOfBytes(bytes) === null) return bytes.toString()
  const ini = new Ini()
  for (const [section, values] of Object.entries(config.inFile())) for (const [key, value] of Object.entries(values)) ini.set(section, key, value)
  return ini.toString()
}

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  { method: 'GET', path: '/_backup', who: 'admin', handler: backup }
]
