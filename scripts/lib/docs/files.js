'use strict'

const { renderCommandLine } = require('./command-line')
const { renderConfiguration } = require('./configuration')
const { renderHttpApi, renderOpenApi } = require('./http-api')

/** The reference pages that are made of code. @returns {Record<string, string>} contents by path from the root */
function makeReference () {
  return {
    'docs/reference/command-line.md': renderCommandLine(),
    'docs/reference/configuration.md': renderConfiguration(),
    'docs/reference/http-api.md': renderHttpApi(),
    'docs/reference/openapi.json': renderOpenApi()
  }
}

module.exports = { makeReference }
