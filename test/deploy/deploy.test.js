'use strict'

const assert = require('node:assert/strict')
const { execFileSync, spawn, spawnSync } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const yaml = require('js-yaml')
const { assemble } = require('../../deploy/assemble')
const { takeEnvironment } = require('../../server/lib/config/environment')

const root = path.join(__dirname, '../..')
const deploy = path.join(root, 'deploy')
const read = file => fs.readFileSync(path.join(deploy, file), 'utf8')
const has = command => spawnSync(command, ['--version']).error === undefined

/** The variables of a file have to be ones that the server knows. @param {string[]} names */
function assertVariables (names) {
  assert.notEqual(names.length, 0)
  const options = ['POTOROO_DATA', 'POTOROO_ADMIN', 'POTOROO_ADMIN_FILE']
  takeEnvironment(Object.fromEntries(names.filter(name => !options.includes(name)).map(name => [name, ''])), [])
}

describe('what servers are deployed with', () => {
  let folder

  before(() => { folder = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-deploy-')) })
  after(() => fs.rmSync(folder, { recursive: true }))

  describe('an assembled folder', () => {
    const place = () => path.join(folder, 'assembled')

    before(() => assemble(place()))

    it('serves, by itself', async () => {
      const program = path.join(place(), 'node_modules/potoroo/bin/potoroo.js')
      const words = ['serve', '--port', '0', '--data', path.join(folder, 'data'), '--allow-volatile', '--storage', 'pmem']
      const child = spawn(process.execPath, [program, ...words], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, POTOROO_ADMIN: 'anna:secret', POTOROO_CHTTPD_AUTH__ITERATIONS: '1000' } })
      let output = ''
      while (!output.includes('listens on')) output += String((await once(child.stdout, 'data'))[0])
      const [url] = /http:[^\s,]+/.exec(output)
      assert.equal((await (await fetch(url)).json()).couchdb, 'Welcome')
      assert.equal((await fetch(`${url}/_utils/`)).status, 200)
      child.kill()
      assert.deepEqual(await once(child, 'close'), [0, null])
    })

    it('has no tests, no sources of addons, no tools that build', () => {
      const names = fs.readdirSync(path.join(place(), 'node_modules'))
      assert.deepEqual(names.filter(name => ['node-gyp', 'node-addon-api', 'mocha', 'eslint', 'typescript', 'lerna'].includes(name)), [])
      for (const name of ['potoroo', 'pmemobj', '@potoroo/indexes']) assert.equal(fs.existsSync(path.join(place(), 'node_modules', name, 'test')), false)
      assert.equal(fs.existsSync(path.join(place(), 'node_modules/pmemobj/src')), false)
    })

    it('is made in an empty place alone', () => assert.throws(() => assemble(place()), /is not empty/))
  })

  describe('the unit of systemd', () => {
    const unit = () => {
      const file = path.join(folder, 'potoroo.service')
      fs.writeFileSync(file, read('systemd/potoroo.service').replace('/usr/bin/potoroo', process.execPath))
      return file
    }

    it('is one, for systemd', function () {
      if (!has('systemd-analyze')) return this.skip()
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', unit()], { encoding: 'utf8' })
      assert.deepEqual([status, stderr.split('\n').filter(line => line.includes('potoroo.service'))], [0, []])
    })

    it('lets the server do little else than its work', function () {
      if (!has('systemd-analyze')) return this.skip()
      const { stdout, status } = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', '--no-pager', unit()], { encoding: 'utf8' })
      assert.match(stdout, /Overall exposure level for potoroo.service: [01]\.\d OK/)
      assert.equal(status, 0)
    })

    it('names settings that there are', () => assertVariables([...(read('systemd/potoroo.service') + read('debian/default')).matchAll(/POTOROO_\w+(?==)/g)].map(([name]) => name)))
  })

  describe('the container', () => {
    const dockerfile = read('container/Dockerfile')
    const instructions = dockerfile.replace(/\\\n/g, ' ').split('\n').filter(line => /^[A-Z]/.test(line))
    const last = instructions.slice(instructions.findLastIndex(line => line.startsWith('FROM')))
    const find = name => last.filter(line => line.startsWith(`${name} `)).map(line => line.slice(name.length + 1))

    it('runs as a user without rights, on a volume, with a check of its health', () => {
      assert.deepEqual(find('USER'), ['potoroo'])
      assert.deepEqual(find('VOLUME'), ['/data'])
      assert.match(find('HEALTHCHECK')[0], /\/_up/)
      assert.match(find('ENTRYPOINT')[0], /^\["/)
      assert.doesNotMatch(dockerfile, /:latest|^ADD |sudo|--admin/m)
      for (const line of instructions.filter(each => each.includes('apt-get install'))) assert.match(line, /--no-install-recommends.*rm -rf \/var\/lib\/apt\/lists/)
    })

    it('has a check of health that says what /_up says', () => {
      const words = JSON.parse(/CMD (\[.*\])/.exec(find('HEALTHCHECK')[0])[1])
      const script = port => spawnSync(process.execPath, words.slice(1), { env: { POTOROO_CHTTPD__PORT: port } }).status
      assert.equal(words[0], 'node')
      assert.equal(script('1'), 1)
    })

    it('names settings that there are', () => assertVariables([...dockerfile.matchAll(/POTOROO_\w+(?==)/g)].map(([name]) => name)))

    it('has compose files whose files and settings there are', () => {
      for (const name of ['compose.yaml', 'compose.caddy.yaml']) {
        const schema = yaml.DEFAULT_SCHEMA.extend([new yaml.Type('!reset', { kind: 'sequence' })])
        const { services, volumes } = yaml.load(read(`container/${name}`), { schema })
        assertVariables(Object.keys(services.potoroo.environment))
        for (const volume of Object.values(services).flatMap(({ volumes: used = [] }) => used)) {
          const [source] = volume.split(':')
          assert.ok(source.startsWith('./') ? fs.existsSync(path.join(deploy, 'container', source)) : Object.hasOwn(volumes, source), source)
        }
      }
      assert.match(read('container/Caddyfile'), /reverse_proxy potoroo:5984/)
    })

    it('has compose files that Compose takes, alone and together', function () {
      const spec = process.env.COMPOSE_SPEC
      const hasDocker = spawnSync('docker', ['compose', 'version']).status === 0
      if (spec === undefined && !hasDocker) return this.skip()
      const cwd = path.join(folder, 'compose')
      fs.cpSync(path.join(deploy, 'container'), cwd, { recursive: true })
      const load = (...files) => spec === undefined
        ? spawnSync('docker', ['compose', ...files.flatMap(file => ['-f', file]), 'config', '--no-interpolate', '--format', 'json'], { cwd, encoding: 'utf8' })
        : spawnSync(spec, ['-no-interpolation', '-format', 'json', ...files], { cwd, encoding: 'utf8' })
      for (const files of [['compose.yaml'], ['compose.yaml', 'compose.caddy.yaml']]) {
        const { status, stdout, stderr } = load(...files)
        assert.equal(status, 0, stderr)
        const { services } = JSON.parse(stdout)
        assert.equal(services.potoroo.read_only, true)
        // Behind Caddy nobody reaches it but Caddy.
        assert.deepEqual([files.length, services.potoroo.ports?.length ?? 0], files.length === 1 ? [1, 1] : [2, 0])
      }
    })
  })

  describe('the Debian package', () => {
    it('is made of scripts that the shell takes', () => {
      for (const name of ['build', 'postinst', 'prerm', 'postrm']) execFileSync('sh', ['-n', path.join(deploy, 'debian', name)])
      execFileSync('sh', ['-n', path.join(root, 'test/newcomer/debian')])
    })
  })

  describe('the Helm chart', () => {
    const helm = process.env.HELM ?? 'helm'
    /** @param {string[]} values */
    const render = values => spawnSync(helm, ['template', 'db', path.join(deploy, 'helm/potoroo'), ...values.flatMap(each => ['--set', each])], { encoding: 'utf8' })

    it('has templates whose values there are', () => {
      const values = yaml.load(read('helm/potoroo/values.yaml'))
      const names = fs.readdirSync(path.join(deploy, 'helm/potoroo/templates'))
      const used = names.flatMap(name => [...read(`helm/potoroo/templates/${name}`).matchAll(/\.Values\.([\w.]+)/g)].map(([, each]) => each))
      assert.ok(used.length > 10)
      assert.deepEqual(used.filter(each => each.split('.').reduce((at, key) => at?.[key], values) === undefined), [])
    })

    it('renders, for a server of one user without rights', function () {
      if (!has(helm)) return this.skip()
      const { stdout, stderr } = render(['adminCredentials=anna:secret', 'ingress.enabled=true', 'ingress.tlsSecret=tls', 'trustedProxies=10.0.0.0/8', 'persistence.storageClass=fast'])
      assert.equal(stderr, '')
      const parts = Object.fromEntries(yaml.loadAll(stdout).map(part => [part.kind, part]))
      assert.deepEqual(Object.keys(parts).sort(), ['Ingress', 'Secret', 'Service', 'StatefulSet'])
      const { template, replicas } = parts.StatefulSet.spec
      assert.equal(replicas, 1)
      assert.equal(template.spec.securityContext.runAsNonRoot, true)
      assertVariables(template.spec.containers[0].env.map(({ name }) => name))
      assert.deepEqual(parts.Service.spec.selector, template.metadata.labels)
    })

    it('asks for an administrator', function () {
      if (!has(helm)) return this.skip()
      assert.match(render([]).stderr, /set existingSecret, or adminCredentials/)
      assert.doesNotMatch(render(['existingSecret=mine']).stdout, /kind: Secret/)
    })
  })

  it('the property list of launchd has the words of the command', () => {
    assert.match(read('launchd/org.potoroo.potoroo.plist'), /<string>\/usr\/local\/bin\/potoroo<\/string>\s+<string>serve<\/string>/)
  })
})
