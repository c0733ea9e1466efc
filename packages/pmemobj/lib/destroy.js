'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { fromSystem } = require('./system-error')

const PART = /^\d+\.pmem$/
const SET = /^pool\.set(\.draft|\.new)?$/

/**
 * Removes a pool's files: of a folder only those that belong to the pool.
 *
 * @param {typeof import('./pool').Pool} Pool
 * @param {string} location
 */
function destroy (Pool, location) {
  const folder = statOf(location).isDirectory()
  const pool = openAlone(Pool, location)
  try {
    remove(() => folder ? removeFolder(location) : fs.unlinkSync(location))
  } finally {
    pool?.close()
  }
}

function statOf (location) {
  try {
    return fs.statSync(location)
  } catch (error) {
    throw fromSystem(error)
  }
}

/**
 * Keeps others out while its files go. A pool that is damaged may go too; one that somebody uses, or
 * a file of somebody else, not.
 */
function openAlone (Pool, location) {
  try {
    return new Pool(location, { createIfMissing: false, exclusive: true })
  } catch (error) {
    if (error.code !== 'PMEMOBJ_CORRUPT' && error.code !== 'PMEMOBJ_LAYOUT_VERSION') throw error
  }
}

function removeFolder (location) {
  for (const name of fs.readdirSync(location)) {
    if (PART.test(name) || SET.test(name)) fs.unlinkSync(path.join(location, name))
  }
  if (fs.readdirSync(location).length === 0) fs.rmdirSync(location)
}

function remove (action) {
  try {
    action()
  } catch (error) {
    throw fromSystem(error)
  }
}

module.exports = { destroy }
