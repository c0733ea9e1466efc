'use strict'

const fs = require('node:fs')
const { encryptBackup } = require('@potoroo/storage')
const { writeBackup } = require('../../backup/write')
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
  const text = config.file !== null && fs.existsSync(config.file) ? fs.readFileSync(config.file, 'utf8') : undefined
  const out = new ResponseWriter(res, { 'Content-Type': 'application/octet-stream', 'Cache-Control': 'no-store' })
  const chunks = writeBackup(storage.level, { version: readBanner().version, config: text })
  for await (const bytes of storage.key === undefined ? chunks : encryptBackup(chunks, storage.key)) {
    if (out.closed || req.service.closing.aborted) break
    await out.write(bytes)
  }
  if (req.service.closing.aborted) res.destroy()
  else out.end()
}

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  { method: 'GET', path: '/_backup', who: 'admin', handler: backup }
]
