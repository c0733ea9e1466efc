'use strict'

/* global PouchDB */

PouchDB.plugin(require('./index'))
