
// What a program learns of the machine: the environment of the call, nothing of the host.
const env = () => process.env;
module.exports = {
  EOL: '\n',
  devNull: '/dev/null',
  platform: () => 'linux',
  type: () => 'Linux',
  release: () => '6.1.0',
  version: () => '#1 SMP',
  arch: () => 'x64',
  machine: () => 'x86_64',
  endianness: () => 'LE',
  hostname: () => env().HOSTNAME || 'swarm',
  homedir: () => env().HOME || '/',
  tmpdir: () => (env().TMPDIR || '/tmp').replace(/(.)\/$/, '$1'),
  uptime: () => $.uptime(),
  loadavg: () => [0, 0, 0],
  totalmem: () => $.memory(),
  freemem: () => $.memory(),
  cpus: () => [{ model: 'virtual', speed: 0, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } }],
  availableParallelism: () => 1,
  networkInterfaces: () => ({}),
  userInfo: () => ({ uid: 1000, gid: 1000, username: env().USER || 'agent', homedir: env().HOME || '/', shell: '/bin/bash' }),
  constants: { signals: { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGKILL: 9, SIGPIPE: 13, SIGTERM: 15 }, errno: {} },
};
