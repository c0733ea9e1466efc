'use strict'

const neostandard = require('neostandard')

const browserFiles = ['test/browser/**/*.js']

module.exports = [
  ...neostandard({ ignores: neostandard.resolveIgnoresFromGitignore() }),
  {
    name: 'potoroo',
    files: ['**/*.js', 'scripts/setup'],
    languageOptions: { sourceType: 'commonjs', ecmaVersion: 2023 },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      strict: ['error', 'global'],
      'prefer-const': 'error',
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx'] }]
    }
  },
  {
    name: 'potoroo/tests',
    files: ['**/test/**/*.js'],
    languageOptions: {
      globals: Object.fromEntries(['describe', 'it', 'before', 'after', 'beforeEach', 'afterEach', 'context', 'specify'].map(name => [name, 'readonly']))
    },
    rules: {
      'no-restricted-syntax': ['error',
        {
          selector: 'MemberExpression[object.name=/^(describe|it|context|specify)$/][property.name="only"]',
          message: 'This would silence all other tests.'
        },
        {
          selector: 'CallExpression[callee.property.name="retries"]',
          message: 'A test that needs retries is a defect.'
        }
      ]
    }
  },
  {
    name: 'potoroo/browser',
    files: browserFiles,
    languageOptions: {
      globals: Object.fromEntries(['window', 'fetch', 'Blob', 'PouchDB', 'EventSource', 'btoa', 'atob'].map(name => [name, 'readonly']))
    }
  },
  {
    name: 'potoroo/pages',
    files: ['examples/*/public/*.js'],
    languageOptions: {
      // The files of a page see each other's names.
      sourceType: 'script',
      globals: Object.fromEntries(['PouchDB', 'Lists', 'ask', 'document', 'localStorage', 'location', 'navigator', 'crypto', 'self', 'caches', 'addEventListener', 'CustomEvent', 'EventTarget', 'fetch', 'URL'].map(name => [name, 'readonly']))
    },
    rules: { 'no-unused-vars': ['error', { vars: 'local', ignoreRestSiblings: true }], 'no-redeclare': 'off' }
  }
]
