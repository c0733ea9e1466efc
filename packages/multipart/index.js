'use strict'

const { MultipartReader, boundaryOf, fileNameOf } = require('./lib/reader')
const { RelatedWriter, createBoundary } = require('./lib/related-writer')

module.exports = { MultipartReader, RelatedWriter, boundaryOf, createBoundary, fileNameOf }
