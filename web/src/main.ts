import { mount } from 'svelte';
import App from './App.svelte';
import 'chessgroundx/assets/chessground.base.css';
import 'chessgroundx/assets/chessground.cburnett.css';
import './app.css';

const target = document.getElementById('app');
if (target) mount(App, { target });
