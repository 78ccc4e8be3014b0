import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin } from 'vite';

// chessgroundx names its pieces by letter, its own style sheet of pieces by word.
const pieces: Plugin = {
  name: 'pieces-by-letter',
  enforce: 'pre',
  transform(code, id) {
    if (!id.includes('chessground.cburnett.css')) return null;
    const letters: Record<string, string> = { pawn: 'p', knight: 'n', bishop: 'b', rook: 'r', queen: 'q', king: 'k' };
    return code.replace(/piece\.(\w+)\./g, (_, name: string) => `piece.${letters[name]}-piece.`);
  },
};

export default defineConfig({
  plugins: [pieces, svelte()],
  build: {
    // Fixed names: the binary embeds the files and notices by their contents when they change.
    rollupOptions: {
      output: {
        entryFileNames: 'app.js',
        chunkFileNames: '[name].js',
        assetFileNames: '[name][extname]',
      },
    },
    modulePreload: { polyfill: false },
    assetsInlineLimit: 100_000,
  },
  // The server answers to pages of its own host only.
  server: { proxy: { '/api': { target: process.env.LUCENA_SERVER ?? 'http://127.0.0.1:8280', changeOrigin: false } } },
});
