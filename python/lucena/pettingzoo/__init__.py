"""PettingZoo: two agents, white (``player_0``) and black (``player_1``), move in turn.

>>> from lucena.pettingzoo import chess_v0
>>> env = chess_v0.env(observation="wojcik")
>>> env.reset(seed=1)
>>> observation, reward, termination, truncation, info = env.last()
>>> observation.shape, int(info["action_mask"].sum())
((16, 8, 8), 20)
"""
