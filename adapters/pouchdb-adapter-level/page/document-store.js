'use strict'

/** The part of @potoroo/document-store that the adapter uses. */
const { DocumentStore } = require('@potoroo/document-store/lib/store/document-store')
const { metaForm, toObject } = require('@potoroo/document-store/lib/json/document-json')
const { restore } = require('./late/history')

module.exports = { DocumentStore, metaForm, restore, toObject }
