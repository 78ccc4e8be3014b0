// The sounds of moves, made on the spot: a knock of wood is a burst of noise through a filter.

const KEY = 'sounds';
let context: AudioContext | undefined;
let noise: AudioBuffer | undefined;

export const soundsOn = (): boolean => localStorage.getItem(KEY) !== 'off';

export function switchSounds(on: boolean): void {
  localStorage.setItem(KEY, on ? 'on' : 'off');
}

function knock(audio: AudioContext, at: number, pitch: number, loud: number): void {
  noise ??= (() => {
    const buffer = audio.createBuffer(1, audio.sampleRate * 0.08, audio.sampleRate);
    const samples = buffer.getChannelData(0);
    for (let i = 0; i < samples.length; i++) samples[i] = (Math.random() * 2 - 1) * Math.exp((-9 * i) / samples.length);
    return buffer;
  })();
  const source = audio.createBufferSource();
  source.buffer = noise;
  const filter = audio.createBiquadFilter();
  filter.type = 'bandpass';
  filter.frequency.value = pitch;
  filter.Q.value = 2.5;
  const gain = audio.createGain();
  gain.gain.value = loud;
  source.connect(filter).connect(gain).connect(audio.destination);
  source.start(at);
}

function tone(audio: AudioContext, at: number, pitch: number): void {
  const source = audio.createOscillator();
  source.frequency.value = pitch;
  const gain = audio.createGain();
  gain.gain.setValueAtTime(0.0001, at);
  gain.gain.exponentialRampToValueAtTime(0.12, at + 0.02);
  gain.gain.exponentialRampToValueAtTime(0.0001, at + 0.5);
  source.connect(gain).connect(audio.destination);
  source.start(at);
  source.stop(at + 0.55);
}

/** The sound of a move in SAN: a knock, two where something is taken, a chord at mate. */
export function sound(san: string): void {
  if (!soundsOn() || typeof AudioContext === 'undefined') return;
  try {
    context ??= new AudioContext();
    // Browsers let a page sound once somebody has touched it.
    if (context.state === 'suspended') void context.resume();
    const now = context.currentTime;
    knock(context, now, 900, 0.9);
    if (san.includes('x')) knock(context, now + 0.06, 1400, 0.7);
    if (san.includes('+')) knock(context, now + 0.09, 2200, 0.4);
    if (san.includes('#')) [523, 659, 784].forEach((pitch, i) => tone(context!, now + 0.1 + i * 0.09, pitch));
  } catch {
    // A machine without sound plays as well.
  }
}
