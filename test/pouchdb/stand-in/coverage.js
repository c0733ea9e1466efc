'use strict'

const binary = require('pouchdb-binary-utils')
const checkpointer = require('pouchdb-checkpointer')
const collate = require('pouchdb-collate')
const errors = require('pouchdb-errors')
const generateReplicationId = require('pouchdb-generate-replication-id')
const mapReduceUtils = require('pouchdb-mapreduce-utils')
const { merge, winningRev } = require('pouchdb-merge')
const utils = require('pouchdb-utils')

/** Stands in for pouchdb-for-coverage of PouchDB's repository: the parts of PouchDB that its tests use. */
module.exports = {
  Errors: errors,
  collate,
  utils: {
    ...utils,
    ...binary,
    createError: errors.createError,
    generateErrorFromResponse: errors.generateErrorFromResponse,
    generateReplicationId,
    checkpointer,
    merge,
    winningRev,
    mapReduceUtils,
    assign: Object.assign
  }
}
