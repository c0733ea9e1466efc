'use strict'

// JSPMDK's names for persistent objects, so that programs that were written for it run as they are.

const fs = require('node:fs')
const { PersistentArrayBuffer } = require('../objects/heap/persistent-array-buffer')
const { constants } = require('./constants')
const { PersistentArray, PersistentObject, unwrap, wrapAs } = require('./persistent-object')
const { PersistentObjectPool } = require('./persistent-object-pool')

const { S_IRUSR, S_IWUSR } = fs.constants

/**
 * Returns a pool without a file.
 *
 * @param {string} path
 * @param {number} [size] bytes
 * @param {number} [mode] of the file
 */
function newPool (path, size = constants.MIN_POOL_SIZE, mode = S_IRUSR | S_IWUSR) {
  return new PersistentObjectPool(path, size, mode)
}

/**
 * Returns an object of a pool with the methods of a class.
 *
 * @param {object} object
 * @param {Function} constructor
 */
function bind (object, constructor) {
  if (unwrap(object) === object) throw new Error('can not bind non-PersistentObject')
  return wrapAs(object, constructor)
}

module.exports = { new_pool: newPool, bind, constants, PersistentArray, PersistentArrayBuffer, PersistentObject, PersistentObjectPool }
