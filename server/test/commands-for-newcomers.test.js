'use strict'

const assert = require('node:assert/strict')
const { spawn, spawnSync } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const zlib = require('node:zlib')
const { Databases, LAYOUT_VERSION } = require('@potoroo/document-store')
const { serve } = require('..')
const { withCredentials } = require('../lib/commands/credentials')
const { localServer } = require('../lib/commands/local-server')
const { ownCommand } = require('../lib/commands/own-command')
const { Config } = require('../lib/config/config')
const { openStorage } = require('../lib/storage/open-storage')
const { parseAdmin } = require('../lib/users/password')

const program = path.join(__dirname, '../bin/potoroo.js')

/** Runs `potoroo …` in a process of its own, beside what this one serves. */
async function potoroo (words, { input = '', env = {} } = {}) {
  const child = spawn(process.execPath, [program, ...words], { env: { ...process.env, ...env } })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', text => { output[name] += text })
  child.stdin.end(input)
  const [code] = await once(child, 'close')
  return { code, ...output }
}

describe('commands for newcomers', () => {
  let folder, data, ini

  before(() => { folder = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-newcomer-')) })
  after(() => fs.rmSync(folder, { recursive: true }))
  beforeEach(() => {
    data = fs.mkdtempSync(path.join(folder, 'data-'))
    ini = path.join(data, 'potoroo.ini')
  })

  describe('init', () => {
    it('writes a configuration that a server takes, with a hashed password, once', async () => {
      const key = path.join(data, 'own.key')
      const words = ['init', '--yes', '--data', path.join(data, 'new'), '--port', '7000', '--admin', 'anna', '--log', 'file', '--encrypt', key]
      const { code, stdout } = await potoroo(words, { input: 'secret\n' })
      assert.equal(code, 0)
      assert.match(stdout, /keep a copy elsewhere/)
      const file = path.join(data, 'new/potoroo.ini')
      assert.equal(fs.statSync(file).mode & 0o777, 0o600)
      assert.equal(fs.statSync(key).size, 32)
      const config = new Config(file)
      assert.deepEqual([config.get('chttpd', 'port'), config.get('chttpd', 'bind_address'), config.get('log', 'file'), config.get('storage', 'key_file')], ['7000', '127.0.0.1', 'potoroo.log', key])
      assert.equal(parseAdmin(config.get('admins', 'anna')).prf, 'sha256')
      const before = fs.readFileSync(file)
      const again = await potoroo(words)
      assert.deepEqual([again.code, again.stderr], [1, `potoroo: ${file} is there already, and stays as it is\n`])
      assert.deepEqual(fs.readFileSync(file), before)
    })

    it('ends with a command that starts the server there, also in a clone', async () => {
      const cwd = path.join(__dirname, '../..')
      const env = { ...process.env, npm_command: undefined }
      const { stdout } = spawnSync(process.execPath, ['server/bin/potoroo.js', 'init', '--yes', '--data', path.join(data, 'a folder')], { cwd, env, encoding: 'utf8' })
      const [, command] = /^now: (node server\/bin\/potoroo\.js serve --data .+)$/m.exec(stdout)
      const server = spawn('sh', ['-c', `exec ${command} --port 0 --storage classic-level --allow-volatile`], { cwd, env })
      let text = ''
      server.stderr.on('data', chunk => { text += chunk })
      for await (const chunk of server.stdout) if (/ listens on /.test(text += chunk)) server.kill()
      assert.match(text, / listens on /)
    })

    it('says its command as the shell has it', () => {
      const env = { PATH: '/usr/bin:/opt/bin' }
      assert.equal(ownCommand('/opt/bin/potoroo', env), 'potoroo')
      assert.equal(ownCommand(path.resolve('node_modules/.bin/potoroo'), env), 'node_modules/.bin/potoroo')
      assert.equal(ownCommand('/opt/bin/potoroo', { ...env, npm_command: 'exec' }), 'npx potoroo')
      assert.equal(ownCommand(path.resolve('a b/potoroo.js'), env), "node 'a b/potoroo.js'")
    })

    it('refuses values that make no sense, and asks on terminals alone', async () => {
      assert.match((await potoroo(['init', '--yes', '--data', data, '--port', 'x'])).stderr, /It must be a port, 0 to 65535/)
      assert.match((await potoroo(['init', '--data', data])).stderr, /no terminal to ask on; --yes/)
      assert.deepEqual(fs.readdirSync(data), [])
    })
  })

  describe('doctor', () => {
    const findings = async (...words) => {
      const { code, stdout } = await potoroo(['doctor', '--json', ...words])
      return { code, found: Object.fromEntries(JSON.parse(stdout).map(each => [each.name, each])) }
    }

    it('finds nothing to mend in a new folder', async () => {
      const { code, found } = await findings('--data', path.join(data, 'new'))
      const problems = Object.values(found).filter(({ state, name }) => state === 'problem' && name !== 'medium')
      assert.deepEqual(problems, [])
      assert.equal(code, found.medium.state === 'problem' ? 2 : 0)
      assert.deepEqual(fs.readdirSync(data), [])
    })

    it('names what has no effect in the settings, and what opens the folder to others', async () => {
      fs.writeFileSync(ini, '[chttpd]\nprt = 1\nport = many\n[mine]\nany = thing\n[couchdb_engines]\ncouch = couch_bt_engine\n')
      fs.chmodSync(data, 0o755)
      const { stdout } = await potoroo(['doctor', '--data', data])
      assert.match(stdout, /\[warn\] settings: \[chttpd\] prt is no setting/)
      assert.match(stdout, /\[warn\] settings: \[chttpd\] port must be a port, 0 to 65535: the default holds/)
      assert.match(stdout, /\[warn\] permissions: .*mode 755.*\n +→ chmod 700/)
      assert.match(stdout, /\[warn\] settings: \[mine\] is no section of settings, and has no effect\n/)
      assert.doesNotMatch(stdout, /couchdb_engines/)
    })

    it('says that a start would bring the pool to another layout, and so does the start, before it does', async () => {
      const pool = zlib.gunzipSync(fs.readFileSync(path.join(__dirname, '../../packages/pmemobj/test/fixtures/version-2-closed.pool.gz')))
      fs.writeFileSync(path.join(data, 'pmem'), pool)
      const { found } = await findings('--data', data)
      assert.deepEqual([found.layout.state, found.layout.found], ['warning', `${data}/pmem: the pool has layout version 2, and has to be opened for writing once`])
      assert.ok(fs.readFileSync(path.join(data, 'pmem')).equals(pool))
      let log = ''
      const server = await serve({ path: data, allowVolatile: true, port: 0, adminParty: true, config: { log: { level: 'notice' } }, log: text => { log += text } })
      await server.close()
      assert.match(log, /\[warning\].*layout version 2.*UPGRADING\.md[^]*Potoroo \d/)
      assert.equal((await findings('--data', data)).found.layout, undefined)
    })

    for (const storage of ['pmem', 'classic-level']) {
      it(`says that databases have a former layout, in ${storage}`, async () => {
        const open = () => openStorage({ storage, folder: data, allowVolatile: true })
        const made = await open()
        const databases = await Databases.open(made.level, { prefix: 'databases/' })
        await (await databases.create('todos')).write([{ _id: 'milk' }])
        await databases.close()
        for await (const [key, value] of made.level.iterator({ keyEncoding: 'utf8', valueEncoding: 'utf8' })) {
          if (value.includes(`"version":${LAYOUT_VERSION}`)) await made.level.put(key, value.replace(`"version":${LAYOUT_VERSION}`, '"version":2'), { keyEncoding: 'utf8', valueEncoding: 'utf8' })
        }
        await made.close()
        const { found: { layout } } = await findings('--data', data)
        // Only opening LevelDB to write can tell.
        if (storage === 'pmem') assert.deepEqual([layout.state, layout.found], ['warning', `1 database with a layout version before ${LAYOUT_VERSION}: todos has 2`])
        let log = ''
        const server = await serve({ path: data, storage, allowVolatile: true, port: 0, adminParty: true, config: { log: { level: 'notice' } }, log: text => { log += text } })
        try {
          assert.match(log, /\[warning\].*1 database with a layout version before \d+: todos has 2.*UPGRADING\.md/)
          assert.equal((await fetch(`${server.url}/todos/milk`)).status, 200)
        } finally {
          await server.close()
        }
        assert.equal((await findings('--data', data)).found.layout, undefined)
      })
    }

    it('says that Node.js runs no functions, as the start does, and needs addons', async () => {
      const env = { NODE_OPTIONS: '--jitless' }
      assert.match((await potoroo(['doctor', '--data', data], { env })).stdout, /\[warn\] sandbox: functions of design documents cannot run: .*--jitless.*\n +→ start it without --jitless/)
      const script = `const app = require(${JSON.stringify(require.resolve('..'))}).potoroo({ storage: 'memory', adminParty: true, log: text => process.stdout.write(text) }); app.ready.then(() => app.close())`
      const run = (...words) => spawnSync(process.execPath, [...words, '-e', script], { encoding: 'utf8' }).stdout
      assert.match(run('--jitless'), /\[warning\].*functions of design documents cannot run/)
      assert.equal(run(), '')
      assert.deepEqual(await potoroo(['doctor'], { env: { NODE_OPTIONS: '--no-addons' } }), { code: 1, stdout: '', stderr: 'potoroo: this Node.js loads no addons, and Potoroo needs them: start it without --no-addons, which may be in NODE_OPTIONS.\n' })
    })

    it('says with its exit code that there is something to mend', async () => {
      fs.writeFileSync(ini, 'half a li')
      const { code, found } = await findings('--data', data)
      assert.equal(code, 2)
      assert.deepEqual([found.settings.state, found.settings.mend], ['problem', `edit ${ini}`])
    })

    it('knows few descriptors and a medium that forgets', async function () {
      if (!fs.existsSync('/dev/shm')) return this.skip()
      const { stdout, status } = spawnSync('sh', ['-c', `ulimit -n 200; exec ${process.execPath} ${program} doctor --data /dev/shm/none`], { encoding: 'utf8' })
      assert.match(stdout, /\[BAD \] open files: 200 at most/)
      assert.match(stdout, /\[BAD \] medium: tmpfs/)
      assert.equal(status, 2)
    })
  })

  describe('status', () => {
    let server

    before(async () => { server = await serve({ storage: 'memory', port: 0, admins: { anna: 'a secret' }, config: { chttpd_auth: { iterations: 100 } } }) })
    after(() => server.close())

    it('says of a server what anybody may know, and more to administrators by netrc or the environment', async () => {
      const netrc = path.join(data, 'netrc')
      fs.writeFileSync(netrc, '# mine\nmachine other login x password y\nmachine 127.0.0.1\n  login anna\n  password "a secret"\n')
      const plain = await potoroo(['status', '--server', server.url], { env: { NETRC: '/none' } })
      assert.equal(plain.code, 0)
      assert.match(plain.stdout, /status: ok\nmore is told to administrators\n$/)
      const byFile = await potoroo(['status', '--server', server.url], { env: { NETRC: netrc } })
      assert.match(byFile.stdout, /storage: memory[\s\S]*databases: 2\ntasks: none\n$/)
      const byEnvironment = await potoroo(['status', '--json'], { env: { NETRC: '/none', POTOROO_SERVER: server.url, POTOROO_CREDENTIALS: 'anna:a secret' } })
      assert.equal(JSON.parse(byEnvironment.stdout).databases, 2)
    })

    it('finds the server of a folder on any port, and so do doctor and what a folder in use refuses', async () => {
      fs.writeFileSync(ini, '[chttpd]\nport = 1\n')
      const other = await serve({ path: data, storage: 'classic-level', allowVolatile: true, port: 0, adminParty: true })
      try {
        assert.match((await potoroo(['status', '--data', data])).stdout, new RegExp(`^${other.url}: Potoroo`))
        assert.match((await potoroo(['doctor', '--data', data])).stdout, new RegExp(`server: one answers at ${other.url}\n`))
        assert.match((await potoroo(['compact', '--data', data])).stderr, new RegExp(`in use by another process; stop the server, or name it with --server ${other.url}\n$`))
        assert.equal(fs.statSync(path.join(data, 'server.json')).mode & 0o777, 0o600)
      } finally {
        await other.close()
      }
      assert.ok(!fs.existsSync(path.join(data, 'server.json')))
      assert.match((await potoroo(['status', '--data', data])).stderr, /^potoroo: http:\/\/127\.0\.0\.1:1 /)
    })

    it('passes over what a server that was killed has left, and what is no address', async () => {
      fs.writeFileSync(ini, `[chttpd]\nport = ${new URL(server.url).port}\n`)
      const gone = spawnSync(process.execPath, ['-e', '']).pid
      for (const text of ['', '[]', 'null', JSON.stringify({ pid: gone, urls: ['http://127.0.0.1:1'] }), JSON.stringify({ pid: -1, urls: ['http://127.0.0.1:1'] }), JSON.stringify({ pid: process.pid, urls: 'x' })]) {
        fs.writeFileSync(path.join(data, 'server.json'), text)
        assert.equal(localServer(data), server.url, text)
      }
    })

    it('finds the server of a folder by its configuration', async () => {
      fs.writeFileSync(ini, `[chttpd]\nport = ${new URL(server.url).port}\n`)
      assert.match((await potoroo(['status', '--data', data])).stdout, /^http:\/\/127\.0\.0\.1:\d+: Potoroo/)
      fs.writeFileSync(ini, '[chttpd]\nport = 1\n')
      const { code, stderr } = await potoroo(['status', '--data', data])
      assert.deepEqual([code, stderr], [1, 'potoroo: http://127.0.0.1:1 does not answer: nobody listens there\n'])
    })
  })

  it('take names and passwords of netrc by host and name', () => {
    const netrc = path.join(data, 'netrc')
    fs.writeFileSync(netrc, 'machine db login anna password one\nmachine db login bert password t:wo\ndefault login carl password three')
    const env = { NETRC: netrc }
    assert.equal(withCredentials('http://db:1/x', undefined, env), 'http://anna:one@db:1/x')
    assert.equal(withCredentials('https://bert@db/', undefined, env), 'https://bert:t%3Awo@db/')
    assert.equal(withCredentials('http://else/', undefined, env), 'http://carl:three@else/')
    assert.equal(withCredentials('http://a:b@db/', undefined, env), 'http://a:b@db/')
    assert.equal(withCredentials('http://db/', undefined, { NETRC: '/none' }), 'http://db/')
    assert.throws(() => withCredentials('http://db/', 'secret', {}), error => !error.message.includes('secret'))
  })

  describe('logs', () => {
    const lines = count => Array.from({ length: count }, (_, index) => `line ${index}\n`).join('')

    it('prints the last lines of the file', async () => {
      fs.writeFileSync(ini, '[log]\nwriter = file\nfile = a.log\n')
      const print = async (...words) => (await potoroo(['logs', '--data', data, ...words])).stdout
      assert.match((await potoroo(['logs', '--data', data])).stderr, /a\.log cannot be read: there is none yet/)
      fs.writeFileSync(path.join(data, 'a.log'), lines(20000))
      assert.equal(await print('-n', '3'), 'line 19997\nline 19998\nline 19999\n')
      assert.equal(await print('-n', '100000'), lines(20000))
      fs.writeFileSync(path.join(data, 'a.log'), '\nabc')
      assert.equal(await print('-n', '1'), 'abc')
    })

    it('follows it, also into the file that comes after it', async () => {
      fs.writeFileSync(ini, '[log]\nwriter = file\nfile = a.log\n')
      const file = path.join(data, 'a.log')
      fs.writeFileSync(file, 'one\n')
      const child = spawn(process.execPath, [program, 'logs', '--data', data, '--follow'])
      let text = ''
      const until = async wanted => { while (!text.includes(wanted)) text += String((await once(child.stdout, 'data'))[0]) }
      await until('one\n')
      fs.appendFileSync(file, 'two\n')
      await until('two\n')
      fs.renameSync(file, `${file}.1`)
      fs.writeFileSync(file, 'three\n')
      await until('three\n')
      assert.equal(text, 'one\ntwo\nthree\n')
      child.kill('SIGINT')
      assert.deepEqual(await once(child, 'close'), [0, null])
    })

    it('says where else to look', async () => {
      const { code, stderr } = await potoroo(['logs', '--data', data], { env: { PATH: '' } })
      assert.equal(code, 1)
      assert.match(stderr, /set \[log\] writer = file/)
      const { stdout, ...empty } = await potoroo(['logs', '--data', data, '--unit', `no-unit-${process.pid}`])
      assert.deepEqual([stdout, empty.code], ['', 1])
      assert.match(empty.stderr, /no journal here has lines of a unit no-unit-\d+: .* set \[log\] writer = file/)
    })
  })

  describe('completion', () => {
    it('completes commands, options and values in bash', async () => {
      const { stdout: script } = await potoroo(['completion', 'bash'])
      const complete = (...words) => spawnSync('bash', ['-c', `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _potoroo; echo "\${COMPREPLY[*]}"`, 'bash', 'potoroo', ...words], { encoding: 'utf8' })
      const said = (...words) => {
        const { stdout, stderr } = complete(...words)
        assert.equal(stderr, '')
        return stdout.trim()
      }
      assert.equal(said('ba'), 'backup')
      assert.equal(said('user', ''), 'add list password remove --help')
      assert.equal(said('user', 'add', '--ro'), '--role')
      assert.equal(said('serve', '--durability', ''), 'strict relaxed')
      assert.equal(said('check', '--online'), '')
    })

    for (const [shell, ...check] of [['zsh', '-n'], ['fish', '--no-execute']]) {
      it(`is a script that ${shell} takes`, async function () {
        if (spawnSync(shell, ['--version']).error) return this.skip()
        const { stdout: script } = await potoroo(['completion', shell])
        const file = path.join(data, 'script')
        fs.writeFileSync(file, script)
        const { status, stderr } = spawnSync(shell, [...check, file], { encoding: 'utf8' })
        assert.deepEqual([status, stderr], [0, ''])
        assert.match(script, /durability/)
      })
    }
  })
})
